// Shows what needs passkeys if the browser has them, and says when it gave none.
"use strict";

for (const element of document.querySelectorAll("[data-passkey]")) element.hidden = !window.PublicKeyCredential;
document.getElementById("no-passkeys").hidden = Boolean(window.PublicKeyCredential);
document.addEventListener("allauth.error", (event) => {
  event.preventDefault();
  document.getElementById("passkey-failure").hidden = false;
});
