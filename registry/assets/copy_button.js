// A button that copies the value of a field or the text of an element. It is visible only if the browser can copy.
// Elements with `data-today` show the current date, for citations: pages are cached, so the server can't write it.
"use strict";

for (const element of document.querySelectorAll("[data-today]")) {
  element.textContent = new Date().toISOString().slice(0, 10);
}
for (const button of document.querySelectorAll("[data-copy]")) {
  const source = document.getElementById(button.dataset.copy);
  const field = "value" in source ? source : null;
  field?.addEventListener("focus", () => field.select());
  button.hidden = !navigator.clipboard;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(field ? field.value : source.innerText.trim());
    button.textContent = "Copied";
  });
}
