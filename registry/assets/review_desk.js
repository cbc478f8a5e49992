/*
 * Keyboard shortcuts of the review page. `?` lists them; they can be switched off, because speech input types letters.
 * Without JavaScript, links lead to the same places.
 */
(() => {
  "use strict";

  const OFF = "no-shortcuts";
  const list = document.getElementById("shortcuts");
  if (!list) return;

  // A browser that blocks site data throws: the choice then lasts as long as the page.
  const ifStored = (use) => {
    try {
      return use(localStorage);
    } catch {
      return null;
    }
  };

  const isOn = list.querySelector("input");
  isOn.checked = ifStored((storage) => storage.getItem(OFF)) === null;
  isOn.addEventListener("change", () =>
    ifStored((storage) => (isOn.checked ? storage.removeItem(OFF) : storage.setItem(OFF, "1"))),
  );

  const opener = document.getElementById("show-shortcuts");
  opener.hidden = false;
  opener.addEventListener("click", () => list.showModal());
  list.querySelector("button").addEventListener("click", () => list.close());

  const sections = [...document.querySelectorAll("[id^=section-]:is(section)")];
  let at = -1;

  const goTo = (element) => {
    if (!element) return;
    if (!element.matches("a, button, input, textarea, summary")) element.tabIndex = -1;
    element.focus();
    element.scrollIntoView({ block: element.matches("section") ? "start" : "nearest" });
  };

  // The section with the focus, or else the one that was gone to; -1 before the first.
  const current = () => {
    const focused = sections.findIndex((each) => each.contains(document.activeElement));
    return focused < 0 ? at : focused;
  };

  const move = (step) => {
    at = Math.min(Math.max(current() + step, 0), sections.length - 1);
    goTo(sections[at]);
  };

  const here = () => sections[Math.max(current(), 0)];

  const comment = () => {
    const details = here().querySelector("details.new-comment");
    if (!details) return;
    details.open = true;
    goTo(details.querySelector("textarea"));
  };

  const keys = {
    "?": () => list.showModal(),
    j: () => move(1),
    k: () => move(-1),
    n: () => goTo(here().querySelector(".checklist textarea")),
    c: comment,
    a: () => goTo(document.querySelector("#verdict a.button")),
    x: () => document.getElementById("next-case")?.click(),
  };

  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.closest("input:not([type=checkbox]), textarea, select, dialog");
    const isOther = event.ctrlKey || event.altKey || event.metaKey || event.isComposing;
    const run = keys[event.key];
    if (!run || isTyping || isOther || (!isOn.checked && event.key !== "?")) return;
    event.preventDefault();
    run();
  });
})();
