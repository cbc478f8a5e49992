// Shows the API description with Swagger UI, without its title and page layout, and without its external validator.
const place = document.getElementById("description");

const layout = ({ React }) => {
  const element = React.createElement;
  const Layout = ({ getComponent, specSelectors }) =>
    element(
      "div",
      { className: "swagger-ui" },
      element(getComponent("SvgAssets")),
      element(getComponent("errors", true)),
      specSelectors.securityDefinitions() &&
        element(
          "div",
          { className: "scheme-container" },
          element("div", { className: "schemes wrapper" }, element(getComponent("AuthorizeBtnContainer", true))),
        ),
      element("div", { className: "wrapper" }, element(getComponent("operations", true))),
    );
  return { components: { Layout } };
};

SwaggerUIBundle({
  url: place.dataset.schema,
  domNode: place,
  plugins: [layout],
  layout: "Layout",
  deepLinking: true,
  validatorUrl: null,
  defaultModelsExpandDepth: -1,
});
