// Light or dark colours, as the reader chose in the footer. Without a choice, and without script, they are the system's.
// The key and the values are those of Django's administration pages. This runs before the page is shown.
"use strict";

(() => {
  const KEY = "theme";

  const apply = (theme) => {
    document.documentElement.dataset.theme = theme;
  };

  let kept = "auto";
  try {
    kept = localStorage.getItem(KEY) ?? "auto";
  } catch {
    // The browser stores nothing for this site: the choice is that of the page.
  }
  apply(kept);

  document.addEventListener("DOMContentLoaded", () => {
    const choice = document.getElementById("theme");
    if (!choice) return;
    choice.hidden = false;
    for (const button of choice.elements) {
      button.checked = button.value === kept;
      button.addEventListener("change", () => {
        apply(button.value);
        try {
          localStorage.setItem(KEY, button.value);
        } catch {
          // as above
        }
      });
    }
  });
})();
