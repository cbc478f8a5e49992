/*
 * Autosave of a draft, or of an expert's notes and texts, in addition to htmx: reports errors, retries, and warns before unsaved text is lost.
 * Without JavaScript, the buttons save.
 */
(() => {
  "use strict";

  // Boxes grow with their text; other browsers do it by field-sizing. They never shrink, so that the page does not jump.
  if (!CSS.supports("field-sizing", "content")) {
    const grow = (box) => {
      if (box.scrollHeight > box.clientHeight) box.style.minHeight = `${box.scrollHeight + box.offsetHeight - box.clientHeight}px`;
    };
    const growAll = () => document.querySelectorAll(".draft textarea").forEach(grow);
    growAll();
    document.addEventListener("toggle", growAll, true); // what is folded has no height
    document.addEventListener("input", ({ target }) => {
      if (target.matches(".draft textarea")) grow(target);
    });
  }

  const RETRY_AFTER = 10_000;
  const form = document.querySelector("form.draft[data-hx-post], form[data-autosaved][data-hx-post]");
  if (!form) return;

  const folds = document.querySelectorAll(".section-fold");
  // Other browsers can't show a folded section on a wide screen.
  if (!CSS.supports("selector(::details-content)")) for (const each of folds) each.open = true;

  // On a wide screen, the focus can be in a folded section. It stays visible if the window becomes narrow.
  document.addEventListener("focusin", ({ target }) => {
    const fold = target.closest(".section-fold > .guided")?.parentElement;
    if (fold) fold.open = true;
  });

  const trouble = document.getElementById("not-sent");
  let isUnsaved = false;
  let isSending = false;
  let waiting = null;
  let typed = null;
  let retry;

  // If the focus is in the message when it disappears, it returns to the field that was edited last.
  const showError = (cause) => {
    const isThere = trouble.contains(document.activeElement);
    trouble.hidden = !cause;
    for (const each of trouble.children) each.hidden = each.dataset.cause !== cause;
    if (isThere && !cause) typed?.focus({ preventScroll: true });
  };

  // A signed-out user is redirected to the sign-in page, whose response has no Draft-Status header.
  const causeOf = (status) => {
    if (status >= 500) return "broken";
    if (status === 400 || status === 413) return "too-long";
    return status === 404 ? "refused" : "signed-out";
  };

  const failed = (cause) => {
    showError(cause);
    clearTimeout(retry);
    if (cause === "broken" || cause === "offline") retry = setTimeout(() => htmx.trigger(form, "retry"), RETRY_AFTER);
  };

  // Fields outside the form may belong to it.
  document.addEventListener("input", ({ target }) => {
    if (target.form !== form) return;
    isUnsaved = true;
    typed = target;
  });

  form.addEventListener("htmx:beforeRequest", () => {
    isSending = true;
    isUnsaved = false;
  });

  // Responses about a conflict, or about text that can't be saved, are shown although their status is an error.
  form.addEventListener("htmx:beforeSwap", (event) => {
    const { detail } = event;
    const isDraftResponse = detail.xhr.getResponseHeader("Draft-Status") !== null;
    detail.shouldSwap = isDraftResponse;
    if (isDraftResponse) detail.isError = false;
    if (!isDraftResponse || detail.xhr.status !== 200) isUnsaved = true;
    if (isDraftResponse) showError(null);
    else failed(causeOf(detail.xhr.status));
  });

  form.addEventListener("htmx:sendError", () => {
    isUnsaved = true;
    failed("offline");
  });

  // Identical content is not replaced: screen readers do not repeat it, and selections are kept.
  document.body.addEventListener("htmx:oobBeforeSwap", ({ detail }) => {
    const holder = document.createElement("div");
    holder.append(detail.fragment.cloneNode(true));
    const isSame = detail.target.id === "stamp" ? false : holder.innerHTML.trim() === detail.target.innerHTML.trim();
    if (isSame) detail.shouldSwap = false;
  });

  // A submit waits for the running autosave, so that the two requests do not overtake each other.
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

  // The browser is online again, or the user returns from the window in which they signed in.
  for (const back of ["online", "focus"]) {
    window.addEventListener(back, () => {
      if (isUnsaved && !trouble.hidden) htmx.trigger(form, "retry");
    });
  }

  window.addEventListener("beforeunload", (event) => {
    if (isUnsaved) event.preventDefault();
  });
})();
