"use strict";
// What fits: classes by families of systems; both unfold to types and preferences, and what does not fit says why.
(() => {
  const PAGE = 200, MOST_REASONS = 4;
  const data = site.data(), form = document.getElementById("filters"), table = document.getElementById("matrix");
  const why = document.getElementById("why"), more = document.getElementById("more"), count = document.getElementById("count");
  const icons = new Map([...table.tBodies[0].rows].map((row) => [row.dataset.class, row.querySelector(".icon")]));
  let state = site.state(), limit = PAGE;

  // Places of names that have all words of a text, by their group.
  function matching(names, groups, text) {
    const words = (text || "").toLowerCase().split(/\s+/).filter(Boolean), found = new Map();
    names.forEach((name, place) => {
      if (!words.every((word) => name.toLowerCase().includes(word))) return;
      if (!found.has(groups[place])) found.set(groups[place], []);
      found.get(groups[place]).push(place);
    });
    return found;
  }
  // One line a group, and below it one for each of its members, where it is unfolded.
  function unfolded(groups, key) {
    const open = state.getAll(key), all = Boolean(state.get(key === "rows" ? "type" : "preference"));
    return [...groups].flatMap(([group, places]) => [{ group, places, open: all || open.includes(group) }, ...(all || open.includes(group) ? places.map((place) => ({ places: [place], member: true })) : [])]);
  }
  function refusals(rows, columns) {
    const numbers = new Map();
    for (const row of rows) {
      for (const column of columns) {
        const reason = data.rows[row][column];
        if (reason) numbers.set(reason, (numbers.get(reason) || 0) + 1);
      }
    }
    return numbers;
  }

  function explain(button, text) {
    why.textContent = text;
    why.hidden = false;
    const { left, bottom, top } = button.getBoundingClientRect(), { offsetWidth: width, offsetHeight: height } = why;
    why.style.left = `${Math.max(8, Math.min(left, innerWidth - width - 8))}px`;
    why.style.top = `${bottom + height + 8 < innerHeight ? bottom + 4 : top - height - 4}px`;
  }
  function cell(line, column) {
    const total = line.places.length * column.places.length, numbers = refusals(line.places, column.places);
    const refused = [...numbers.values()].reduce((sum, number) => sum + number, 0);
    if (!refused) return site.make("td", {}, site.make("span", { className: "fits", title: "fits" }, "✓"));
    const names = [line.member ? data.types[line.places[0]] : line.group, column.member ? data.preferences[column.places[0]] : column.group].join(" with ");
    const reasons = [...numbers].sort(([, a], [, b]) => b - a).map(([reason, number]) => (total > 1 ? `${number} × ` : "") + data.reasons[reason - 1]);
    const text = `${names}: ${total > 1 ? `${refused} of ${total} pairs do not fit\n` : ""}${reasons.slice(0, MOST_REASONS).join("\n")}${reasons.length > MOST_REASONS ? `\nand ${reasons.length - MOST_REASONS} further reasons` : ""}`;
    const button = site.make("button", { type: "button", className: refused === total ? "none" : "some" }, refused === total ? "×" : `${total - refused}/${total}`);
    button.setAttribute("aria-label", total > 1 ? `${names}: ${total - refused} of ${total} fit` : `${names}: does not fit`);
    for (const event of ["focus", "mouseenter"]) button.addEventListener(event, () => explain(button, text));
    for (const event of ["blur", "mouseleave"]) button.addEventListener(event, () => { why.hidden = true; });
    button.addEventListener("click", () => {
      if (line.member && column.member) { explain(button, text); return; }
      for (const [key, { member, group }] of [["rows", line], ["columns", column]]) if (!member && !state.has(key, group)) state.append(key, group);
      update();
      document.querySelector(`[aria-label="${CSS.escape(button.getAttribute("aria-label"))}"]`)?.focus();
    });
    return site.make("td", {}, button);
  }
  function head(line, key, folder, names) {
    const cell = site.make("th", { scope: key === "rows" ? "row" : "col", className: line.member ? "member" : "" });
    if (line.member) {
      const name = names[line.places[0]];
      cell.append(site.make("a", { href: `${folder}/${encodeURIComponent(name)}.html` }, name));
      return cell;
    }
    const button = site.make("button", { type: "button" }, line.open ? "▾ " : "▸ ", line.group);
    button.setAttribute("aria-expanded", String(line.open));
    button.addEventListener("click", () => {
      if (line.open) state.delete(key, line.group); else state.append(key, line.group);
      update();
      [...table.querySelectorAll("th button")].find((other) => other.textContent.slice(2) === line.group && other.closest("th").scope === cell.scope)?.focus();
    });
    if (key === "rows" && icons.get(line.group)) cell.append(icons.get(line.group).cloneNode(true));
    cell.append(button);
    return cell;
  }
  function update() {
    const columnGroups = matching(data.preferences, data.families, state.get("preference")), all = [...columnGroups.values()].flat();
    const rowGroups = matching(data.types, data.classes, state.get("type"));
    if (state.get("refused")) {
      for (const [group, places] of rowGroups) {
        const refused = places.filter((row) => all.some((column) => data.rows[row][column]));
        if (refused.length) rowGroups.set(group, refused); else rowGroups.delete(group);
      }
    }
    const rows = [...rowGroups.values()].flat(), refused = [...refusals(rows, all).values()].reduce((sum, number) => sum + number, 0);
    count.textContent = `${rows.length * all.length - refused} of ${rows.length * all.length} pairs fit`;
    const columns = unfolded(columnGroups, "columns"), lines = unfolded(rowGroups, "rows");
    table.tHead.replaceChildren(site.make("tr", {}, site.make("th", { scope: "col" }, "Class"), ...columns.map((column) => head(column, "columns", "preferences", data.preferences))));
    table.tBodies[0].replaceChildren(...lines.slice(0, limit).map((line) => site.make("tr", {}, head(line, "rows", "types", data.types), ...columns.map((column) => cell(line, column)))));
    more.hidden = lines.length <= limit;
    why.hidden = true;
    site.keep(state);
  }

  for (const event of ["input", "change"]) form.addEventListener(event, () => { site.write(form, state); limit = PAGE; update(); });
  form.addEventListener("submit", (event) => event.preventDefault());
  more.addEventListener("click", () => { limit += PAGE; update(); });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") why.hidden = true; });
  window.addEventListener("hashchange", () => { state = site.state(); site.read(form, state); update(); });
  site.read(form, state);
  update();
})();
