/*
 * Sends forms with the current CSRF token (Django's cookie, settings.CSRF_COOKIE_NAME). Signing in in another window
 * changes the token, which makes the one in the form invalid.
 *
 * Without JavaScript, such a form is returned with a button that sends it again.
 */
(() => {
  "use strict";

  const NAME = "csrfmiddlewaretoken";

  const newest = () => /(?:^|; )(?:__Host-)?csrftoken=([^;]+)/.exec(document.cookie)?.[1];

  document.addEventListener("submit", ({ target }) => {
    const token = newest();
    const field = target.querySelector(`input[name=${NAME}]`);
    if (token && field) field.value = token;
  });

  document.addEventListener("htmx:configRequest", ({ detail }) => {
    const token = newest();
    if (token && detail.formData.has(NAME)) detail.formData.set(NAME, token);
  });
})();
