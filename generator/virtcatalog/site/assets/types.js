"use strict";
// The table of instance types: filters, order, columns and selection are in the address.
(() => {
  const GIB = 2 ** 30, PAGE = 100, MOST = 5;
  const rows = site.data(), table = document.getElementById("types").dataset;
  // What a type costs depends on the environment that is chosen; amounts are decimals, and stay as they are written.
  const tag = (row) => {
    const prices = row.prices || {}, environment = state.get("environment") || "";
    return Object.hasOwn(prices, environment) ? prices[environment] : row.price || {};
  };
  const amount = (text) => (text === undefined ? "" : Number(text));
  const per = (time) => (table.currency ? `${table.currency} ${time}` : `Price ${time}`);
  const columns = [
    ["name", "Name", (row) => row.name],
    ["series", "Class", (row) => row.series],
    ["vcpus", "vCPUs", (row) => row.vcpus, "number"],
    ["memory", "Memory", (row) => row.memory, "number", (row) => site.memory(row.memory)],
    ["ratio", "GiB a vCPU", (row) => row.ratio, "number"],
    ["gpus", "GPUs", (row) => row.gpus, "number", (row) => String(row.gpus || "")],
    ["page", "Huge pages", (row) => row.page],
    ["dedicated", "Dedicated CPUs", (row) => (row.dedicated ? "yes" : "")],
    ["features", "Features", (row) => row.features.join(", ")],
    ["environments", "Environments", (row) => row.environments.join(", ")],
    ["price", per("an hour"), (row) => amount(tag(row).hour), "number", (row) => tag(row).hour || "", (row) => tag(row).hour || ""],
    ["month", per("a month"), (row) => amount(tag(row).month), "number", (row) => tag(row).month || "", (row) => tag(row).month || ""],
    ["vms", "VMs", (row) => row.vms || 0, "number"],
    ["deprecated", "Deprecated", (row) => row.retirement],
  ].filter(([key]) => {
    if (key === "vms") return table.fleet !== undefined;
    if (key === "price" || key === "month") return table.currency !== undefined;
    return key !== "environments" || rows.some((row) => row.environments.length);
  });
  const form = document.getElementById("filters");
  const head = document.querySelector("#types thead tr"), body = document.querySelector("#types tbody");
  const more = document.getElementById("more"), count = document.getElementById("count");
  const compare = document.getElementById("compare"), chooser = document.getElementById("columns");
  const texts = rows.map((row) => [row.name, row.title, row.description, row.series, ...row.features].join(" ").toLowerCase());
  const selected = new Set();
  let state = site.state(), shown = [], limit = PAGE;

  const number = (name, otherwise) => (state.get(name) ? Number(state.get(name)) : otherwise);
  function wanted() {
    // What the address says is read once, not for every row.
    const words = (state.get("q") || "").toLowerCase().split(/\s+/).filter(Boolean);
    const tests = [];
    const between = (name, value) => {
      const least = number(name + "-min", -Infinity), most = number(name + "-max", Infinity);
      if (least !== -Infinity || most !== Infinity) tests.push((row) => value(row) >= least && value(row) <= most);
    };
    const when = (name, test) => { if (state.get(name)) tests.push(test(state.get(name))); };
    between("vcpus", (row) => row.vcpus);
    between("memory", (row) => row.memory / GIB);
    between("ratio", (row) => row.ratio);
    between("price", (row) => Number(tag(row).hour)); // without one it is not a number, and between nothing
    when("class", (wish) => (row) => row.series === wish);
    when("environment", (wish) => (row) => row.environments.includes(wish));
    when("deprecated", (wish) => (row) => row.deprecated === (wish === "only"));
    when("used", (wish) => (row) => Boolean(row.vms) === (wish === "yes"));
    when("gpu", () => (row) => row.gpus > 0);
    when("pages", () => (row) => row.page !== "");
    when("dedicated", () => (row) => row.dedicated);
    return (row, index) => words.every((word) => texts[index].includes(word)) && tests.every((test) => test(row));
  }
  function ordered(matching) {
    const sort = state.get("sort") || "", down = sort.startsWith("-");
    const column = columns.find(([key]) => key === sort.replace(/^-/, ""));
    if (!column) return matching;
    const value = column[2], numeric = column[3] === "number";
    const sign = down ? -1 : 1;
    return matching.map((row, place) => [row, place]).sort(([a, i], [b, j]) => {
      const [one, other] = [value(a), value(b)].map((cell) => (numeric && cell === "" ? Infinity : cell));
      return sign * (numeric ? one - other : String(one).localeCompare(String(other), "en", { numeric: true })) || i - j;
    }).map(([row]) => row);
  }
  const hidden = () => new Set((state.get("hide") || "").split(",").filter(Boolean));
  const visible = () => columns.filter(([key]) => key === "name" || !hidden().has(key));

  function drawHead() {
    const sort = state.get("sort") || "";
    head.replaceChildren(site.make("th", { scope: "col" }, "Select"), ...visible().map(([key, title, , kind]) => {
      const current = sort.replace(/^-/, "") === key;
      const cell = site.make("th", { scope: "col", className: kind || "" });
      cell.setAttribute("aria-sort", current ? (sort.startsWith("-") ? "descending" : "ascending") : "none");
      const arrow = current ? (sort.startsWith("-") ? " ↓" : " ↑") : "";
      const button = site.make("button", { type: "button" }, title + arrow);
      button.addEventListener("click", () => {
        state.set("sort", current && !sort.startsWith("-") ? "-" + key : key);
        update();
        [...head.querySelectorAll("button")].find((button) => button.textContent.startsWith(title)).focus();
      });
      cell.append(button);
      return cell;
    }));
  }
  function drawRows() {
    const cells = visible();
    body.replaceChildren(...shown.slice(0, limit).map((row) => {
      const box = site.make("input", { type: "checkbox", checked: selected.has(row.name) });
      box.setAttribute("aria-label", "Select " + row.name);
      box.addEventListener("change", () => choose(row.name, box));
      const line = site.make("tr", { className: row.deprecated ? "old" : "" }, site.make("td", {}, box));
      for (const [key, , value, kind, text] of cells) {
        if (key === "name") {
          const link = site.make("a", { href: "types/" + encodeURIComponent(row.name) + ".html" }, row.name);
          line.append(site.make("th", { scope: "row" }, link));
        } else line.append(site.make("td", { className: kind || "" }, text ? text(row) : String(value(row))));
      }
      return line;
    }));
    more.hidden = shown.length <= limit;
    count.textContent = shown.length === rows.length ? `${rows.length} instance types` : `${shown.length} of ${rows.length} instance types`;
  }
  function choose(name, box) {
    if (box.checked && selected.size >= MOST) box.checked = false;
    else if (box.checked) selected.add(name);
    else selected.delete(name);
    compare.disabled = selected.size < 2;
    compare.textContent = selected.size ? `Compare selected (${selected.size})` : "Compare selected";
  }
  function update() {
    shown = ordered(rows.filter(wanted()));
    limit = PAGE;
    drawHead();
    drawRows();
    site.keep(state);
  }
  function csv() {
    const quote = (text) => (/[",\n]|^[=+\-@\t\r]/.test(text) ? '"' + (/^[=+\-@\t\r]/.test(text) ? "'" : "") + text.replaceAll('"', '""') + '"' : text);
    const lines = [visible().map(([, title]) => title), ...shown.map((row) => visible().map(([, , value, , , exact]) => String((exact || value)(row))))];
    return lines.map((line) => line.map(quote).join(",")).join("\r\n") + "\r\n";
  }

  chooser.append(...columns.slice(1).map(([key, title]) => {
    const box = site.make("input", { type: "checkbox", checked: !hidden().has(key) });
    box.addEventListener("change", () => {
      const now = hidden();
      if (box.checked) now.delete(key); else now.add(key);
      if (now.size) state.set("hide", [...now].join(",")); else state.delete("hide");
      update();
    });
    return site.make("label", {}, box, title);
  }));
  for (const event of ["input", "change"]) form.addEventListener(event, () => { site.write(form, state); update(); });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(() => { site.write(form, state); update(); }));
  more.addEventListener("click", () => { limit += PAGE; drawRows(); });
  compare.addEventListener("click", () => { location.href = "compare.html#types=" + [...selected].map(encodeURIComponent).join(","); });
  document.getElementById("csv").addEventListener("click", () => {
    const link = site.make("a", { href: URL.createObjectURL(new Blob([csv()], { type: "text/csv" })), download: "instance-types.csv" });
    link.click();
    URL.revokeObjectURL(link.href);
  });
  window.addEventListener("hashchange", () => { state = site.state(); site.read(form, state); update(); });
  site.read(form, state);
  update();
})();
