"use strict";
// The table of instance types: the page has its rows, here they are filtered and sorted; the address says how.
(() => {
  const GIB = 2 ** 30, PAGE = 200, MOST_ORDERS = 3;
  const rows = site.data(), table = document.getElementById("types"), body = table.tBodies[0], form = document.getElementById("filters");
  const heads = [...table.querySelectorAll("th[data-key]")], by = (id) => document.getElementById(id);
  const lines = new Map([...body.rows].map((line, place) => [rows[place], line]));
  const texts = new Map(rows.map((row) => [row, [row.name, row.title, row.description, row.series, row.retirement, ...row.features, ...row.tags || []].join(" ").toLowerCase()]));
  let state = site.state(), shown = [], limit = PAGE;

  // What a type costs depends on the environment that is chosen; amounts are decimals, and stay as they are written.
  function tag(row) {
    const prices = row.prices || {}, environment = state.get("environment") || "";
    return Object.hasOwn(prices, environment) ? prices[environment] : row.price || {};
  }
  const VALUES = {
    gpus: (row) => row.gpus, price: (row) => tag(row).hour || "", month: (row) => tag(row).month || "", vms: (row) => row.vms || 0,
    features: (row) => [...(row.retirement ? [row.retirement] : []), ...row.features].join(", "), environments: (row) => row.environments.join(", "),
  };
  const value = (key, row) => (VALUES[key] ? VALUES[key](row) : row[key]);
  // Filters by two thumbs, over the values that there are.
  const RANGES = { vcpus: (row) => row.vcpus, memory: (row) => row.memory / GIB, ratio: (row) => row.ratio, month: (row) => (tag(row).month ? Number(tag(row).month) : NaN) };
  const ranges = Object.entries(RANGES).filter(([key]) => by(`between-${key}`)).map(([key, of]) => ({ key, of, low: form.elements[`${key}-min`], high: form.elements[`${key}-max`], between: by(`between-${key}`) }));

  function wanted() {
    const words = (state.get("q") || "").toLowerCase().split(/\s+/).filter(Boolean), classes = state.getAll("class"), tests = [];
    for (const { key, of } of ranges) {
      const least = state.has(`${key}-min`) ? Number(state.get(`${key}-min`)) : -Infinity, most = state.has(`${key}-max`) ? Number(state.get(`${key}-max`)) : Infinity;
      if (least !== -Infinity || most !== Infinity) tests.push((row) => of(row) >= least && of(row) <= most); // no number is between nothing
    }
    const when = (name, test) => { if (state.get(name)) tests.push(test(state.get(name))); };
    if (classes.length) tests.push((row) => classes.includes(row.series));
    when("environment", (wish) => (row) => row.environments.includes(wish));
    when("deprecated", (wish) => (row) => row.deprecated === (wish === "only"));
    when("used", (wish) => (row) => Boolean(row.vms) === (wish === "yes"));
    when("gpu", () => (row) => row.gpus > 0);
    when("pages", () => (row) => row.page !== "");
    when("dedicated", () => (row) => row.dedicated);
    return (row) => words.every((word) => texts.get(row).includes(word)) && tests.every((test) => test(row));
  }

  const orders = () => (state.get("sort") || "").split(",").filter(Boolean).map((text) => ({ key: text.replace(/^-/, ""), down: text.startsWith("-") }));
  function ordered(matching) {
    const steps = orders().map(({ key, down }) => [heads.find((head) => head.dataset.key === key), key, down ? -1 : 1]).filter(([head]) => head);
    function compare(a, b) {
      for (const [head, key, sign] of steps) {
        const one = value(key, a), other = value(key, b);
        const number = (cell) => (cell === "" ? sign * Infinity : Number(cell)); // what has no price stands behind
        const order = head.dataset.kind ? (number(one) === number(other) ? 0 : number(one) - number(other)) : String(one).localeCompare(String(other), "en", { numeric: true });
        if (order) return sign * order;
      }
      return 0;
    }
    return steps.length ? [...matching].sort(compare) : matching;
  }
  // A column that is chosen comes first, then what was first; again: the other way round; a third time: no more.
  function order(key) {
    const before = orders(), first = before[0]?.key === key ? before[0] : null, rest = before.filter((step) => step.key !== key);
    const chosen = first?.down ? rest : [{ key, down: Boolean(first) }, ...rest];
    const text = chosen.slice(0, MOST_ORDERS).map((step) => (step.down ? "-" : "") + step.key).join(",");
    if (text) state.set("sort", text); else state.delete("sort");
    update();
  }
  function drawHeads() {
    const steps = orders();
    for (const head of heads) {
      const place = steps.findIndex((step) => step.key === head.dataset.key), down = steps[place]?.down;
      head.setAttribute("aria-sort", place < 0 ? "none" : down ? "descending" : "ascending");
      head.querySelector("sup").textContent = place < 0 ? "" : (down ? "↓" : "↑") + (steps.length > 1 ? place + 1 : "");
    }
  }

  const HIDDEN = heads.some((head) => head.dataset.key === "price") ? "price" : ""; // of what costs so much a month, the price an hour
  const hidden = () => new Set((state.get("hide") ?? HIDDEN).split(",").filter((key) => key && key !== "name"));
  function drawColumns() {
    const gone = hidden();
    for (const line of [...table.tHead.rows, ...lines.values()]) {
      for (const [place, head] of heads.entries()) line.cells[place + 1].hidden = gone.has(head.dataset.key);
    }
  }
  function drawRanges() {
    for (const range of ranges) {
      range.values = [...new Set(rows.map(range.of))].filter((number) => !Number.isNaN(number)).sort((a, b) => a - b);
      const { key, low, high, values } = range, last = Math.max(values.length - 1, 0);
      const from = state.has(`${key}-min`) ? values.findIndex((number) => number >= Number(state.get(`${key}-min`))) : 0;
      const to = state.has(`${key}-max`) ? values.findLastIndex((number) => number <= Number(state.get(`${key}-max`))) : last;
      for (const [input, place] of [[low, from < 0 ? last : from], [high, Math.max(to, 0)]]) {
        input.max = last;
        input.value = place;
        input.setAttribute("aria-valuetext", String(values[place] ?? ""));
      }
      range.between.textContent = values.length ? `${values[low.value]} – ${values[high.value]}` : "";
    }
  }
  function moved({ key, low, high, values }, input) {
    if (Number(low.value) > Number(high.value)) input.value = input === low ? high.value : low.value;
    const place = Number(input.value), end = input === low ? 0 : values.length - 1;
    if (place === end) state.delete(input.name); else state.set(input.name, values[place]);
  }

  function drawRows() {
    body.replaceChildren(...shown.slice(0, limit).map((row) => lines.get(row)));
    by("more").hidden = shown.length <= limit;
    by("count").textContent = `${shown.length.toLocaleString("en")} of ${rows.length.toLocaleString("en")}`;
    by("clear").hidden = ![...state.keys()].some((key) => key !== "sort" && key !== "hide");
  }
  function drawPrices() {
    for (const [row, line] of lines) {
      if (!row.prices) continue;
      line.querySelector(".price").textContent = tag(row).hour || "";
      line.querySelector(".month").textContent = tag(row).month || "";
    }
  }
  function drawSelection() {
    for (const [row, line] of lines) line.querySelector(".pick input").checked = site.selection.has(row.name);
    const number = site.selection.names().length;
    by("compare").disabled = number < 2;
    by("compare").textContent = number ? `Compare selected (${number})` : "Compare selected";
  }
  function update() {
    shown = ordered(rows.filter(wanted()));
    limit = PAGE;
    drawHeads();
    drawRanges();
    drawRows();
    drawPrices();
    site.keep(state);
  }
  function csv() {
    const quote = (text) => (/[",\n]|^[=+\-@\t\r]/.test(text) ? '"' + (/^[=+\-@\t\r]/.test(text) ? "'" : "") + text.replaceAll('"', '""') + '"' : text);
    const visible = heads.filter((head) => !hidden().has(head.dataset.key));
    const records = [visible.map((head) => head.dataset.title), ...shown.map((row) => visible.map((head) => String(value(head.dataset.key, row))))];
    return records.map((record) => record.map(quote).join(",")).join("\r\n") + "\r\n";
  }

  for (const head of heads) {
    head.dataset.title = head.textContent;
    const button = site.make("button", { type: "button", title: "Order by this; again: the other way round; a third time: no more. What was chosen before comes second." }, head.textContent, site.make("sup"));
    button.addEventListener("click", () => order(head.dataset.key));
    head.replaceChildren(button);
    if (head.dataset.key === "name") continue;
    const box = site.make("input", { type: "checkbox", checked: !hidden().has(head.dataset.key) });
    box.addEventListener("change", () => {
      const gone = hidden();
      if (box.checked) gone.delete(head.dataset.key); else gone.add(head.dataset.key);
      if ([...gone].join(",") === HIDDEN) state.delete("hide"); else state.set("hide", [...gone].join(","));
      drawColumns();
      site.keep(state);
    });
    by("columns").append(site.make("label", {}, box, " ", head.dataset.title));
  }
  for (const event of ["input", "change"]) {
    table.addEventListener(event, changed);
    document.querySelector(".chips").addEventListener(event, changed);
  }
  function changed({ target }) {
    if (target.closest(".pick")) return;
    const range = ranges.find(({ low, high }) => target === low || target === high);
    if (range) moved(range, target); else site.write(form, state);
    update();
  }
  body.addEventListener("change", ({ target }) => {
    const [row] = [...lines].find(([, line]) => line.contains(target));
    if (!site.selection.has(row.name) && site.selection.names().length >= site.selection.MOST) target.checked = false;
    else site.selection.toggle(row.name);
  });
  document.addEventListener("selection", drawSelection);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(() => {
    state = new URLSearchParams([...state].filter(([key]) => key === "sort" || key === "hide"));
    update();
  }));
  by("more").addEventListener("click", () => { limit += PAGE; drawRows(); });
  by("filter").addEventListener("click", () => {
    by("filter").setAttribute("aria-expanded", String(table.toggleAttribute("data-filters")));
  });
  by("compare").addEventListener("click", () => { location.href = "compare.html#types=" + site.selection.names().map(encodeURIComponent).join(","); });
  by("csv").addEventListener("click", () => {
    const link = site.make("a", { href: URL.createObjectURL(new Blob([csv()], { type: "text/csv" })), download: "instance-types.csv" });
    link.click();
    URL.revokeObjectURL(link.href);
  });
  function start() {
    state = site.state();
    site.read(form, state);
    drawColumns();
    update();
  }
  window.addEventListener("hashchange", start);
  start();
  drawSelection();
})();
