"use strict";
// Two to five instance types side by side; what differs is marked, what does not is left out unless it is wanted.
(() => {
  const MOST = 5;
  const data = site.data(), form = document.getElementById("choose"), status = document.getElementById("said");
  const head = document.querySelector("#compared thead"), body = document.querySelector("#compared tbody");
  let state = site.state();

  const exists = (name) => Object.hasOwn(data, name);
  const names = () => [...new Set((state.get("types") || "").split(",").filter(exists))].slice(0, MOST);
  function set(chosen) {
    if (chosen.length) state.set("types", chosen.join(",")); else state.delete("types");
    update();
  }
  function update() {
    const chosen = names();
    head.parentElement.hidden = !chosen.length;
    status.textContent = chosen.length < 2 ? "Choose two to five types." : `${chosen.length} types`;
    head.replaceChildren(site.make("tr", {}, site.make("th", { scope: "col" }, "Field"), ...chosen.map((name) => {
      const drop = site.make("button", { type: "button", title: "Remove" }, "×");
      drop.setAttribute("aria-label", "Remove " + name);
      drop.addEventListener("click", () => set(chosen.filter((type) => type !== name)));
      return site.make("th", { scope: "col" }, site.make("a", { href: "types/" + encodeURIComponent(name) + ".html" }, name), " ", drop);
    })));
    const fields = [...new Set(chosen.flatMap((name) => Object.keys(data[name])))];
    body.replaceChildren(...fields.flatMap((field) => {
      const values = chosen.map((name) => (Object.hasOwn(data[name], field) ? data[name][field] : ""));
      const differs = new Set(values).size > 1;
      if (!differs && (!state.get("all") || !values[0])) return [];
      return [site.make("tr", { className: differs ? "differs" : "" }, site.make("th", { scope: "row" }, field), ...values.map((value) => site.make("td", {}, value || "–")))];
    }));
    site.keep(state);
  }
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const name = form.elements.name.value.trim(), chosen = names();
    if (!exists(name)) { status.textContent = `There is no type ${name}.`; return; }
    if (chosen.length >= MOST) { status.textContent = `${MOST} types are the most.`; return; }
    form.elements.name.value = "";
    set([...chosen, name]);
  });
  form.elements.all.addEventListener("change", () => {
    if (form.elements.all.checked) state.set("all", "1"); else state.delete("all");
    update();
  });
  window.addEventListener("hashchange", () => { state = site.state(); update(); });
  form.elements.all.checked = state.get("all") === "1";
  update();
})();
