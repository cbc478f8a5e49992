/* The keyboard shortcuts of the review page (`shortcuts.js`). Without JavaScript, links lead to the same places. */
(() => {
  "use strict";

  const list = document.getElementById("shortcuts");
  if (!list) return;

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

  listenForKeys(list, {
    "?": () => list.showModal(),
    j: () => move(1),
    k: () => move(-1),
    n: () => goTo(here().querySelector(".checklist textarea")),
    c: comment,
    a: () => goTo(document.querySelector("#verdict a.button")),
    x: () => document.getElementById("next-case")?.click(),
  });
})();
