"use strict";
// Types by preferences: a cross tells why it is one.
(() => {
  const PAGE = 100;
  const data = site.data();
  const form = document.getElementById("filters"), why = document.getElementById("why");
  const head = document.querySelector("#matrix thead"), body = document.querySelector("#matrix tbody");
  const more = document.getElementById("more"), count = document.getElementById("count");
  let state = site.state(), limit = PAGE, lines = [];

  const matching = (names, text) => {
    const words = (text || "").toLowerCase().split(/\s+/).filter(Boolean);
    return names.map((name, index) => [name, index]).filter(([name]) => words.every((word) => name.includes(word)));
  };
  function cell(type, row, preference, column) {
    const reason = data.rows[row][column];
    if (!reason) return site.make("td", { className: "fits" }, site.make("span", { title: `${type} with ${preference}` }, "●"));
    const button = site.make("button", { type: "button", title: data.reasons[reason - 1] }, "×");
    button.setAttribute("aria-label", `${type} with ${preference}: does not fit`);
    button.addEventListener("click", () => { why.textContent = `${type} with ${preference}: ${data.reasons[reason - 1]}`; });
    return site.make("td", {}, button);
  }
  function draw(columns) {
    body.replaceChildren(...lines.slice(0, limit).map(([type, row]) => site.make("tr", {},
      site.make("th", { scope: "row" }, site.make("a", { href: "types/" + encodeURIComponent(type) + ".html" }, type)),
      ...columns.map(([preference, column]) => cell(type, row, preference, column)))));
    more.hidden = lines.length <= limit;
  }
  function update() {
    const columns = matching(data.preferences, state.get("preference"));
    lines = matching(data.types, state.get("type"));
    if (state.get("refused")) lines = lines.filter(([, row]) => columns.some(([, column]) => data.rows[row][column]));
    const pairs = lines.length * columns.length;
    const fit = lines.reduce((sum, [, row]) => sum + columns.filter(([, column]) => !data.rows[row][column]).length, 0);
    count.textContent = `${fit} of ${pairs} pairs fit`;
    head.replaceChildren(site.make("tr", {}, site.make("th", { scope: "col" }, "Type"), ...columns.map(([name]) =>
      site.make("th", { scope: "col" }, site.make("a", { href: "preferences/" + encodeURIComponent(name) + ".html" }, name)))));
    draw(columns);
    more.onclick = () => { limit += PAGE; draw(columns); };
    site.keep(state);
  }
  for (const event of ["input", "change"]) form.addEventListener(event, () => { site.write(form, state); limit = PAGE; update(); });
  form.addEventListener("submit", (event) => event.preventDefault());
  window.addEventListener("hashchange", () => { state = site.state(); site.read(form, state); update(); });
  site.read(form, state);
  update();
})();
