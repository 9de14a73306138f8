"use strict";
// On a type's page: select it to be compared.
(() => {
  const button = document.getElementById("select"), { name } = button.dataset;
  function show() {
    button.setAttribute("aria-pressed", String(site.selection.has(name)));
    button.textContent = site.selection.has(name) ? "Selected" : "Select to compare";
    button.disabled = !site.selection.has(name) && site.selection.names().length >= site.selection.MOST;
  }
  button.addEventListener("click", () => site.selection.toggle(name));
  document.addEventListener("selection", show);
  show();
})();
