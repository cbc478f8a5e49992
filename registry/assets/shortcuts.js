/*
 * Keyboard shortcuts of a page. They can be switched off, because speech input types letters: the checkbox in `box` says so for
 * this browser. `keys` has what each key does. `?`, if it is one of them, lists them and is always on.
 */
"use strict";

const listenForKeys = (box, keys) => {
  const OFF = "no-shortcuts";

  // A browser that blocks site data throws: the choice then lasts as long as the page.
  const ifStored = (use) => {
    try {
      return use(localStorage);
    } catch {
      return null;
    }
  };

  const isOn = box.querySelector("input");
  isOn.checked = ifStored((storage) => storage.getItem(OFF)) === null;
  isOn.addEventListener("change", () =>
    ifStored((storage) => (isOn.checked ? storage.removeItem(OFF) : storage.setItem(OFF, "1"))),
  );

  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.closest("input:not([type=checkbox]), textarea, select, dialog");
    const isOther = event.ctrlKey || event.altKey || event.metaKey || event.isComposing;
    const run = keys[event.key];
    if (!run || isTyping || isOther || (!isOn.checked && event.key !== "?")) return;
    event.preventDefault();
    run();
  });
};
