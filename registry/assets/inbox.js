/*
 * Keyboard shortcuts of the inbox: j and k go from row to row, and Enter opens the link that has the focus. They can be switched
 * off, because speech input types letters. Without JavaScript, the Tab key goes from link to link.
 */
(() => {
  "use strict";

  const OFF = "no-shortcuts"; // as on the review page
  const keys = document.getElementById("inbox-keys");
  if (!keys) return;
  keys.hidden = false;

  // A browser that blocks site data throws: the choice then lasts as long as the page.
  const ifStored = (use) => {
    try {
      return use(localStorage);
    } catch {
      return null;
    }
  };

  const isOn = keys.querySelector("input");
  isOn.checked = ifStored((storage) => storage.getItem(OFF)) === null;
  isOn.addEventListener("change", () =>
    ifStored((storage) => (isOn.checked ? storage.removeItem(OFF) : storage.setItem(OFF, "1"))),
  );

  const links = [...document.querySelectorAll("#inbox-rows > li > .row:first-child > a")];
  const rowOf = (element) => links.findIndex((link) => link.closest("li").contains(element));

  document.addEventListener("keydown", (event) => {
    const step = { j: 1, k: -1 }[event.key];
    if (!step || !isOn.checked || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches("input, textarea, select")) return;
    const at = rowOf(document.activeElement);
    links[Math.min(Math.max(at + step, 0), links.length - 1)].focus();
    event.preventDefault();
  });
})();
