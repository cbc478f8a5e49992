/*
 * Keeps texts that a person types into a form until the form is accepted: the browser has them for the account, the address of
 * the form and the field, shows them again when the page is opened again, and warns before the page is left.
 *
 * A form that is sent gets a number. The message of an accepted form names it (`registry.core.form_views.lead_to`); after a
 * refusal, a lost session or a lost connection, no message does, and the texts stay. Drafts are saved by the server instead
 * (`draft.js`). Forms with a password or a code are left alone. The page that follows a sign-out, or the closing of an account,
 * deletes all texts, as does a sign-in with another account. Without JavaScript, a refused form is shown again with its texts.
 */
(() => {
  "use strict";

  const PREFIX = "kept-text:";
  const NUMBER = "kept_texts";
  // Set while an account signs out or closes, and when its texts were deleted.
  const TO_FORGET = "texts-to-forget";
  const FORGOTTEN = "texts-forgotten";
  const MOST_AGE = 14 * 24 * 3600 * 1000;
  const PAUSE = 300;
  const TEXTS = "textarea, input[type=text], input[type=url], input[type=email]";
  const OTHERS = ".draft, [data-autosaved], [data-not-kept]";
  const SECRET = "input[type=password], [autocomplete=one-time-code]";
  const { account } = document.currentScript.dataset;
  const OWN = `${PREFIX}${account}:`;

  // A browser that blocks site data throws, and one without room, too: the texts then last as long as the page.
  const ifStored = (use) => {
    try {
      return use(localStorage);
    } catch {
      return null;
    }
  };

  const read = (key) => ifStored((storage) => JSON.parse(storage.getItem(key)));
  const write = (key, entry) => ifStored((storage) => storage.setItem(key, JSON.stringify(entry)));
  const remove = (key) => ifStored((storage) => storage.removeItem(key));
  const keys = () => ifStored((storage) => Object.keys(storage).filter((key) => key.startsWith(PREFIX))) ?? [];

  const isToForget = read(TO_FORGET);
  remove(TO_FORGET);
  if (!account) {
    if (isToForget) {
      keys().forEach(remove);
      write(FORGOTTEN, Date.now());
    }
    return;
  }

  const outcomes = [...document.querySelectorAll("[data-outcome]")];
  const accepted = new Set(outcomes.map((message) => message.dataset.outcome.split("|")[1]));
  for (const key of keys()) {
    const entry = read(key);
    const isOver = !entry || Date.now() - entry.at > MOST_AGE || (entry.sent && accepted.has(entry.sent));
    if (isOver || !key.startsWith(OWN)) remove(key);
  }

  const isKept = (form) => form.method === "post" && !form.matches(OTHERS) && !form.querySelector(SECRET);
  const isText = (field) => field.matches(TEXTS) && !field.readOnly && !field.disabled;
  const textsOf = (form) => [...form.elements].filter((field) => field.name && isText(field));
  const keyOf = (field) => {
    const { action, elements } = field.form;
    // Replies to several comments have one field on the page of a case.
    return `${OWN}${new URL(action).pathname}|${field.id || field.name}|${elements.reply_to?.value ?? ""}`;
  };

  const isChanged = (field) => field.value !== field.defaultValue && field.value.trim() !== "";
  const forgotten = read(FORGOTTEN);
  const keep = (field) => {
    // Another window signed out: what is typed here must not come back.
    if (read(FORGOTTEN) !== forgotten) return;
    const key = keyOf(field);
    const entry = read(key);
    // A refused form is shown with its texts, which are not what was there before.
    const before = entry?.before ?? field.defaultValue;
    if (isChanged(field)) write(key, { text: field.value, before, at: Date.now() });
    else if (field.value !== entry?.text) remove(key);
  };

  // What was typed since the page was opened, and not sent.
  const typed = new Set();
  let pause;
  const keepAll = () => typed.forEach(keep);
  const warn = (event) => {
    if ([...typed].some(isChanged)) event.preventDefault();
  };

  document.addEventListener("input", ({ target }) => {
    if (!target.form || !isText(target) || !isKept(target.form)) return;
    if (!typed.size) window.addEventListener("beforeunload", warn);
    typed.add(target);
    remove(TO_FORGET);
    clearTimeout(pause);
    pause = setTimeout(keepAll, PAUSE);
  });
  window.addEventListener("pagehide", keepAll);

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (event.defaultPrevented) return;
    if (form.matches("[data-forgets-texts]")) write(TO_FORGET, true);
    // A form that is sent again from hidden fields has the number of its texts.
    const texts = textsOf(form);
    if (!isKept(form) || (!texts.length && form.elements[NUMBER])) return;
    const number = form.elements[NUMBER] ?? document.createElement("input");
    const digits = [...crypto.getRandomValues(new Uint8Array(16))].map((each) => each.toString(16).padStart(2, "0"));
    form.append(Object.assign(number, { type: "hidden", name: NUMBER, value: digits.join("") }));
    for (const field of texts) {
      if (typed.has(field)) keep(field);
      typed.delete(field);
      const entry = read(keyOf(field));
      if (entry) write(keyOf(field), { ...entry, sent: number.value });
    }
  });

  const show = (field, key, entry) => {
    const note = Object.assign(document.createElement("p"), { className: "help kept-text" });
    const said = document.createElement("span");
    const button = Object.assign(document.createElement("button"), { type: "button", className: "button small" });
    const when = new Date(entry.at).toLocaleString("en-GB", { dateStyle: "long", timeStyle: "short" });
    const put = (text) => {
      field.value = text;
      const isHere = text === entry.text;
      said.textContent = `${isHere ? "Your text of" : "Another text, which you typed on"} ${when}${isHere ? "" : ","} was not sent. `;
      button.textContent = isHere ? "Discard it" : "Show it";
    };
    button.addEventListener("click", () => {
      if (field.value === field.defaultValue) put(entry.text);
      else {
        remove(key);
        typed.delete(field);
        field.value = field.defaultValue;
        note.remove();
      }
      field.focus();
    });
    note.append(said, button);
    // What is saved may have changed since the text was typed: then the person chooses.
    put(field.defaultValue === entry.before ? entry.text : field.defaultValue);
    field.after(note);
    const fold = field.closest("details");
    if (fold) fold.open = true;
  };

  for (const form of document.querySelectorAll("main form")) {
    for (const field of isKept(form) ? textsOf(form) : []) {
      const key = keyOf(field);
      const entry = read(key);
      if (entry && entry.text !== field.defaultValue) show(field, key, entry);
    }
  }
})();
