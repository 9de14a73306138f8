"use strict";
// What every page with a script needs: its data, elements, and the state that stands in the address.
const site = {
  data() {
    return JSON.parse(document.getElementById("data").textContent);
  },
  make(tag, properties, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(properties || {})) {
      if (name in element && name !== "list") element[name] = value;
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
  // Fill a form's fields from the state, and back.
  read(form, state) {
    for (const field of form.elements) {
      if (!field.name) continue;
      if (field.type === "checkbox") field.checked = state.get(field.name) === field.value;
      else field.value = state.get(field.name) || "";
    }
  },
  write(form, state) {
    for (const field of form.elements) {
      if (!field.name) continue;
      const value = field.type === "checkbox" ? (field.checked ? field.value : "") : field.value.trim();
      if (value) state.set(field.name, value);
      else state.delete(field.name);
    }
  },
};
