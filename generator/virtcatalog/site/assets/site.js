"use strict";
// What every page has: its data, elements, the state in the address, the selection, and the head's search and theme.
const site = {
  root: document.body.dataset.root,
  data() {
    return JSON.parse(document.getElementById("data").textContent);
  },
  make(tag, properties, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(properties || {})) {
      if (name in element && name !== "list" && name !== "popover") element[name] = value;
      else element.setAttribute(name, value);
    }
    element.append(...children);
    return element;
  },
  // The fragment, not the query: a page from a folder may change no more of its address.
  state() {
    return new URLSearchParams(location.hash.slice(1));
  },
  keep(state) {
    const text = state.toString().replaceAll("%2C", ",");
    history.replaceState(null, "", text ? "#" + text : location.pathname.split("/").pop() + location.search);
  },
  memory(bytes) {
    const gib = bytes / 2 ** 30;
    const [amount, unit] = gib >= 1 ? [gib, "GiB"] : [bytes / 2 ** 20, "MiB"];
    return Number(amount.toFixed(1)).toLocaleString("en") + " " + unit;
  },
  // Fill a form's fields from the state, and back; boxes of one name are a list, sliders belong to their page.
  read(form, state) {
    for (const field of form.elements) {
      if (!field.name || field.type === "range") continue;
      if (field.type === "checkbox") field.checked = state.getAll(field.name).includes(field.value);
      else field.value = state.get(field.name) || "";
    }
  },
  write(form, state) {
    const fields = [...form.elements].filter((field) => field.name && field.type !== "range");
    for (const { name } of fields) state.delete(name);
    for (const field of fields) {
      const value = field.type === "checkbox" && !field.checked ? "" : field.value.trim();
      if (value) state.append(field.name, value);
    }
  },
  // A page from a folder may read no file, but run one that is a script.
  load: ((loading) => (path) => {
    if (!loading.has(path)) {
      loading.set(path, new Promise((done) => {
        const script = site.make("script", { src: site.root + path });
        for (const event of ["load", "error"]) script.addEventListener(event, done);
        document.head.append(script);
      }));
    }
    return loading.get(path);
  })(new Map()),
};

// The types that were selected to be compared, on whichever page.
site.selection = (() => {
  const MOST = 5, key = `virtcatalog.selection.${document.body.dataset.catalog}`;
  let names = [];
  try { names = JSON.parse(localStorage.getItem(key)) || []; } catch { /* nothing is stored */ }
  names = (Array.isArray(names) ? names : []).filter((name) => typeof name === "string").slice(0, MOST);
  function set(chosen) {
    names = chosen.slice(0, MOST);
    try { localStorage.setItem(key, JSON.stringify(names)); } catch { /* it lasts as long as the page */ }
    document.dispatchEvent(new Event("selection"));
  }
  return { MOST, set, names: () => names, has: (name) => names.includes(name), toggle: (name) => set(names.includes(name) ? names.filter((other) => other !== name) : [...names, name]) };
})();

(() => {
  const button = document.getElementById("theme");
  const SIGNS = { system: "◐", light: "☀", dark: "☾" };
  function show() {
    button.textContent = SIGNS[theme.get()] || SIGNS.system;
    button.title = `Theme: ${theme.get() === "system" ? "as the system says" : theme.get()}`;
    button.setAttribute("aria-label", button.title);
  }
  button.addEventListener("click", () => {
    theme.set(theme.ORDER[(theme.ORDER.indexOf(theme.get()) + 1) % theme.ORDER.length]);
    show();
  });
  show();

  const here = document.querySelector(".top nav [aria-current]");
  if (here) here.scrollIntoView({ block: "nearest", inline: "center" });

  const compare = document.querySelector(".top nav a[href$='compare.html']");
  const count = () => { compare.textContent = site.selection.names().length ? `Compare (${site.selection.names().length})` : "Compare"; };
  document.addEventListener("selection", count);
  count();

  for (const copy of document.querySelectorAll(".copy")) {
    copy.addEventListener("click", async () => {
      // A text that is being edited is the one that is shown.
      const shown = [...copy.closest(".code").querySelectorAll("code, textarea")].find((element) => element.offsetParent);
      try { await navigator.clipboard.writeText(shown.value ?? shown.textContent); } catch {
        if (shown.select) shown.select(); else getSelection().selectAllChildren(shown);
        document.execCommand("copy");
      }
      copy.textContent = "Copied";
      setTimeout(() => { copy.textContent = "Copy"; }, 2000);
    });
  }
})();

// The head's search: `/` goes there, arrows go through what is found.
(() => {
  const MOST = 12;
  const input = document.getElementById("find"), list = document.getElementById("found"), status = document.getElementById("found-count");
  let entries = [], asked = 0;
  site.index = (rows) => { entries = rows.map((row) => [row, [row[1], row[2], row[4] || ""].join(" ").toLowerCase()]); };

  async function find() {
    const number = ++asked, words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    await site.load("search.js");
    if (number !== asked) return;
    const rank = ([[, name]]) => [name.toLowerCase() === words[0], name.toLowerCase().startsWith(words[0]), name.toLowerCase().includes(words[0]), true].indexOf(true);
    const found = words.length ? entries.filter(([, text]) => words.every((word) => text.includes(word))).sort((a, b) => rank(a) - rank(b)) : [];
    list.replaceChildren(...found.slice(0, MOST).map(([[kind, name, title, page]]) =>
      site.make("li", {}, site.make("a", { href: site.root + page }, name, site.make("small", {}, title && title !== name ? `${kind}: ${title}` : kind)))));
    if (found.length > MOST) list.append(site.make("li", { className: "note" }, `and ${found.length - MOST} more`));
    list.hidden = !list.children.length;
    status.textContent = words.length ? `${found.length} found` : "";
  }
  input.addEventListener("input", find);
  input.addEventListener("focus", () => { if (input.value) find(); else site.load("search.js"); });
  input.form.addEventListener("submit", async (event) => {
    event.preventDefault();
    await find();
    list.querySelector("a")?.click();
  });
  input.form.addEventListener("keydown", (event) => {
    const stops = [input, ...list.querySelectorAll("a")], place = stops.indexOf(document.activeElement);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") { list.hidden = true; input.focus(); input.value = ""; }
    else if (step && stops[place + step]) { event.preventDefault(); stops[place + step].focus(); }
  });
  input.form.addEventListener("focusout", (event) => { if (!input.form.contains(event.relatedTarget)) list.hidden = true; });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
    event.preventDefault();
    input.focus();
  });
})();
