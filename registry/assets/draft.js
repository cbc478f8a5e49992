/*
 * What a draft that saves itself needs besides htmx: to say when it could not be saved, and to lose nothing.
 * Without this file, and without any script, the buttons save.
 */
(() => {
  "use strict";

  const RETRY_AFTER = 10_000;
  const form = document.querySelector("form.draft[data-hx-post]");
  if (!form) return;

  const trouble = document.getElementById("not-sent");
  let isUnsaved = false;
  let isSending = false;
  let waiting = null;
  let typed = null;
  let retry;

  // Whoever followed a link of the message is back where they wrote when it goes.
  const say = (cause) => {
    const isThere = trouble.contains(document.activeElement);
    trouble.hidden = !cause;
    for (const each of trouble.children) each.hidden = each.dataset.cause !== cause;
    if (isThere && !cause) typed?.focus({ preventScroll: true });
  };

  // Whoever is signed out is led to the page of signing in, which is no answer to a draft, or is refused.
  const causeOf = (status) => {
    if (status >= 500) return "broken";
    if (status === 400 || status === 413) return "too-long";
    return status === 404 ? "refused" : "signed-out";
  };

  const failed = (cause) => {
    say(cause);
    clearTimeout(retry);
    if (cause === "broken" || cause === "offline") retry = setTimeout(() => htmx.trigger(form, "retry"), RETRY_AFTER);
  };

  form.addEventListener("input", ({ target }) => {
    isUnsaved = true;
    typed = target;
  });

  form.addEventListener("htmx:beforeRequest", () => {
    isSending = true;
    isUnsaved = false;
  });

  // A conflict, and words that can't be kept, are told in an answer of their own, like any other.
  form.addEventListener("htmx:beforeSwap", (event) => {
    const { detail } = event;
    const answersDraft = detail.xhr.getResponseHeader("Draft-Answer") !== null;
    detail.shouldSwap = answersDraft;
    if (answersDraft) detail.isError = false;
    if (!answersDraft || detail.xhr.status !== 200) isUnsaved = true;
    if (answersDraft) say(null);
    else failed(causeOf(detail.xhr.status));
  });

  form.addEventListener("htmx:sendError", () => {
    isUnsaved = true;
    failed("offline");
  });

  // What says the same stays as it is: nothing is read aloud twice, and no selection is lost.
  document.body.addEventListener("htmx:oobBeforeSwap", ({ detail }) => {
    const holder = document.createElement("div");
    holder.append(detail.fragment.cloneNode(true));
    const isSame = detail.target.id === "stamp" ? false : holder.innerHTML.trim() === detail.target.innerHTML.trim();
    if (isSame) detail.shouldSwap = false;
  });

  // A button waits until what is on its way has arrived; else the two would overtake each other.
  form.addEventListener("submit", (event) => {
    if (isSending) {
      event.preventDefault();
      waiting = event.submitter;
    } else {
      isUnsaved = false;
    }
  });

  form.addEventListener("htmx:afterRequest", () => {
    isSending = false;
    if (waiting) {
      const button = waiting;
      waiting = null;
      setTimeout(() => form.requestSubmit(button));
    }
  });

  // Back online, or back from the window in which one has signed in.
  for (const back of ["online", "focus"]) {
    window.addEventListener(back, () => {
      if (isUnsaved && !trouble.hidden) htmx.trigger(form, "retry");
    });
  }

  window.addEventListener("beforeunload", (event) => {
    if (isUnsaved) event.preventDefault();
  });
})();
