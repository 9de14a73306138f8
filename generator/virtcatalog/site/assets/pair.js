"use strict";
// The plain domain of the pair that the address names.
(() => {
  const data = site.data(), by = (id) => document.getElementById(id);
  const link = (folder, name) => site.make("a", { href: `${folder}/${encodeURIComponent(name)}.html` }, name);
  async function update() {
    const state = site.state(), type = state.get("type") || "", preference = state.get("preference") || "";
    const row = data.types.indexOf(type), column = data.preferences.indexOf(preference);
    const unknown = row < 0 || (preference && column < 0);
    document.querySelector(".split").hidden = unknown;
    if (unknown) {
      by("no-domain").textContent = "The address names no instance type and preference of this catalog.";
      return;
    }
    const form = site.make("a", { href: "form.html#" + new URLSearchParams(preference ? { type, preference } : { type }) }, "New VM with both");
    by("pair").replaceChildren(link("types", type), " with ", preference ? link("preferences", preference) : "no preference", " · ", form);
    await site.showDomain(type, column + 1, by);
  }
  window.addEventListener("hashchange", update);
  update();
})();
