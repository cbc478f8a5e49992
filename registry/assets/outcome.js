/*
 * Says what an action did where it was done (`registry.core.form_views.lead_to`): moves the message to the part of the page
 * that it is about, with the focus, so that screen readers read it there.
 *
 * Without JavaScript, the message stays at the upper edge of the window.
 */
(() => {
  "use strict";

  for (const message of document.querySelectorAll(".notice[data-outcome]")) {
    const [at, number] = message.dataset.outcome.split("|");
    const part = at && document.getElementById(at);
    // Then it does not stay at the edge of the window, even if the page no longer has the part.
    message.dataset.outcome = `|${number}`;
    if (!part) continue;
    for (let fold = part.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    if (part.matches("article, div, form, li, section")) part.prepend(message);
    else part.before(message);
    message.tabIndex = -1;
    // When the page is loaded, browsers go to the part once more, and take the focus away.
    addEventListener("load", () =>
      setTimeout(() => {
        message.focus({ preventScroll: true });
        message.scrollIntoView({ block: "center", behavior: "instant" });
      }),
    );
  }
})();
