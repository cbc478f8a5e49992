// Shows the API's description. No badge is fetched from a validator elsewhere.
const place = document.getElementById("operations");
SwaggerUIBundle({
  url: place.dataset.schema,
  domNode: place,
  deepLinking: true,
  validatorUrl: null,
  defaultModelsExpandDepth: -1,
});
