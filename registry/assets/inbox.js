/*
 * The keyboard shortcuts of the inbox (`shortcuts.js`): j and k go from row to row, and Enter opens the link that has the focus.
 * Without JavaScript, the Tab key goes from link to link.
 */
(() => {
  "use strict";

  const box = document.getElementById("inbox-keys");
  if (!box) return;
  box.hidden = false;

  const links = [...document.querySelectorAll("#inbox-rows > li > .row:first-child > a")];

  const move = (step) => {
    const at = links.findIndex((link) => link.closest("li").contains(document.activeElement));
    links[Math.min(Math.max(at + step, 0), links.length - 1)].focus();
  };

  listenForKeys(box, { j: () => move(1), k: () => move(-1) });
})();
