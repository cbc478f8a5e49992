/*
 * When an answer replaces a part of the page, whoever is there or types somewhere else stays where they are.
 *
 * htmx alone gives the focus back only to what has an id and is there again. What is not there any more leaves the
 * focus to the part that it stood in; else it would fall back to the beginning of the page. And what grows above a
 * field that somebody types in does not push it away.
 */
(() => {
  "use strict";

  const boxOf = (element) => element.getBoundingClientRect();

  let held = null;
  let before = null;

  const hold = ({ detail: { target } }) => {
    const here = document.activeElement;
    if (here !== target && target.contains(here)) held = { here, part: target };
  };

  const giveBack = () => {
    if (!held || held.here.isConnected) return;
    const { here, part } = held;
    held = null;
    const again = here.id && document.getElementById(here.id);
    if (!again) part.tabIndex = -1;
    (again || part).focus({ preventScroll: true });
  };

  document.addEventListener("htmx:oobBeforeSwap", hold);
  document.addEventListener("htmx:oobAfterSwap", giveBack);

  document.addEventListener("htmx:beforeSwap", (event) => {
    const here = document.activeElement;
    held = null;
    hold(event);
    before = here === document.body ? null : { here, top: boxOf(here).top };
  });

  document.addEventListener("htmx:afterSwap", () => {
    giveBack();
    const here = document.activeElement;
    const isThere = before && (here === before.here || (here.id && here.id === before.here.id));
    if (isThere) window.scrollBy({ top: boxOf(here).top - before.top, behavior: "instant" });
    before = null;
  });
})();
