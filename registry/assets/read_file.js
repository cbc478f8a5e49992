/*
 * Reads a text file into the field of a form. The file is not uploaded: the text is sent with the form, as if it had
 * been pasted. Without JavaScript, the input stays hidden.
 */
(() => {
  "use strict";

  const MOST_BYTES = 1_000_000;
  for (const input of document.querySelectorAll("[data-read-into]")) {
    const field = document.getElementById(input.dataset.readInto);
    const status = document.getElementById(input.getAttribute("aria-describedby"));
    input.closest("[hidden]").hidden = false;
    input.addEventListener("change", async () => {
      const [file] = input.files;
      if (!file) return;
      try {
        if (file.size > MOST_BYTES) throw new RangeError();
        const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
        if (text.includes("\0")) throw new TypeError();
        field.value = text;
        status.textContent = `The text of ${file.name} is in the field above.`;
      } catch (error) {
        status.textContent =
          error instanceof RangeError ? `${file.name} is too large: choose a file of at most 1 MB.` : `${file.name} is not a text file in UTF-8.`;
        input.value = "";
      }
    });
  }
})();
