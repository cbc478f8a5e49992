/*
 * Keeps the focus and the scroll position when a response replaces a part of the page.
 *
 * htmx restores the focus only to an element with the same id. If the focused element is gone, the replaced part gets
 * the focus, instead of the top of the page. If content above the focused field grows, the page scrolls along.
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
