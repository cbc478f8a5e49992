/*
 * A form is sent with the token that counts when it is sent: signing in, in another window, gives the browser a
 * new one, and the one in the form is refused from then on. (Django's cookie, settings.CSRF_COOKIE_NAME.)
 *
 * Without this file, and without any script, such a form comes back with a button that sends it again.
 */
(() => {
  "use strict";

  const NAME = "csrfmiddlewaretoken";

  const newest = () => /(?:^|; )csrftoken=([^;]+)/.exec(document.cookie)?.[1];

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
