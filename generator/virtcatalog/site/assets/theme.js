"use strict";
// Before the first paint: the theme that the reader chose, if it was chosen.
const theme = {
  ORDER: ["system", "light", "dark"],
  get() {
    try { return localStorage.getItem("virtcatalog.theme") || "system"; } catch { return "system"; }
  },
  set(name) {
    if (name === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = name;
    try { localStorage.setItem("virtcatalog.theme", name); } catch { /* a browser that stores nothing forgets it */ }
  },
};
if (theme.ORDER.includes(theme.get())) theme.set(theme.get());
