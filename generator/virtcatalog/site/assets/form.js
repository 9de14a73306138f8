"use strict";
// The form of a new VM in three steps: its fields and the address they stand in, and the VM that they describe.
(() => {
  const data = site.data(), form = document.getElementById("vm"), list = document.getElementById("disks"), add = document.getElementById("add");
  const machine = site.vm;
  const single = ["preference", "environment", "vcpus", "memory", "type", "name", "run", "boot", "source", "size", "pod", "networks", "user", "keys"].filter((name) => form.elements[name]);
  const sizes = [...document.getElementById("sizes").tBodies[0].rows];
  const initial = {};
  let state = site.state();
  const by = (id) => document.getElementById(id);
  const value = (name) => (form.elements[name] ? form.elements[name].value.trim() : "");
  const environment = () => data.environments[value("environment")];
  const bootsFrom = () => data.boots[data.preferences.indexOf(value("preference")) + 1];

  const options = (kinds) => kinds.map((kind) => site.make("option", { value: kind }, machine.KINDS[kind].text));
  function labelled(kind, label, source, size) {
    const { source: text, size: sized } = machine.KINDS[kind];
    label.textContent = text || "";
    source.parentElement.hidden = !text;
    size.parentElement.hidden = !sized;
    size.placeholder = sized === "optional" ? "as it is" : "";
  }
  function diskRow(kind, size, source) {
    const number = list.children.length + 1;
    const choice = site.make("select", {}, ...options(Object.keys(machine.KINDS).filter((kind) => kind !== "image")));
    choice.value = Object.hasOwn(machine.KINDS, kind) && kind !== "image" ? kind : "blank";
    const label = site.make("span", {}), from = site.make("input", { size: 30, value: source, spellcheck: false });
    const amount = site.make("input", { type: "number", min: 1, step: 1, value: size });
    const drop = site.make("button", { type: "button" }, "Remove");
    drop.addEventListener("click", () => { row.remove(); renumber(); write(); add.focus(); });
    const title = site.make("span", {}, `Disk ${number}`);
    const row = site.make("li", {}, site.make("label", {}, title, " ", choice), site.make("label", {}, label, " ", from), site.make("label", {}, "GiB ", amount), drop);
    row.show = () => labelled(choice.value, label, from, amount);
    row.read = () => ({ kind: choice.value, size: amount.value.trim(), source: machine.KINDS[choice.value].source ? from.value.trim() : "" });
    row.name = (place) => { title.textContent = `Disk ${place}`; drop.setAttribute("aria-label", `Remove disk ${place}`); };
    list.append(row);
    row.show();
    renumber();
    return choice;
  }
  function renumber() {
    [...list.children].forEach((row, place) => row.name(place + 1));
    add.disabled = list.children.length >= machine.DISKS - 2;
  }

  // Why a type cannot be had: it does not fit the preference, or is not in the environment.
  function refusal(type, column) {
    const here = environment(), reason = column < 0 ? 0 : data.rows[data.types.indexOf(type)]?.[column];
    if (reason) return data.reasons[reason - 1];
    return here && !here.types.includes(type) ? `${value("environment")} does not have it` : "";
  }
  const tooSmall = (row) => Number(row.dataset.vcpus) < Number(value("vcpus")) || Number(row.dataset.memory) < Number(value("memory")) * 2 ** 30;
  // A type that nobody chose is the least one that can be had.
  function leastType() {
    const column = data.preferences.indexOf(value("preference"));
    const types = sizes.map((row) => row.querySelector("input").value), able = types.find((type, place) => !tooSmall(sizes[place]) && !refusal(type, column));
    return able || types[0];
  }
  function followType() {
    const least = leastType();
    if (value("type") === initial.type) form.elements.type.value = least;
    initial.type = least;
  }
  // The types that can be had come first, the least one first; the others are greyed, with the reason.
  function showSizes(column) {
    const refused = [];
    const body = by("sizes").tBodies[0];
    for (const row of sizes) {
      const input = row.querySelector("input"), reason = refusal(input.value, column);
      row.hidden = tooSmall(row);
      row.className = reason ? "refused" : "";
      input.disabled = Boolean(reason) && !input.checked;
      row.cells[3].textContent = price(input.value).month || "";
      if (row.dataset.features === undefined) row.dataset.features = row.cells[4].textContent;
      row.cells[4].textContent = reason || row.dataset.features;
      if (reason) refused.push(row);
    }
    const ordered = [...sizes.filter((row) => !refused.includes(row)), ...refused];
    if (ordered.some((row, place) => body.rows[place] !== row)) {
      const focused = document.activeElement;
      body.replaceChildren(...ordered);
      if (body.contains(focused)) focused.focus();
    }
  }
  function price(type) {
    const { price: base, prices } = data.prices[type] || {}, here = value("environment");
    return (prices && Object.hasOwn(prices, here) ? prices[here] : base) || {};
  }
  function showSystem(column) {
    const family = data.families[column] || "";
    for (const chip of form.querySelectorAll("[name=family]")) chip.checked = chip.value === family;
    for (const option of form.elements.preference.options) option.hidden = Boolean(family && option.value && option.dataset.family !== family);
    by("needs").textContent = [data.needs[column], data.licences[column] && `licence ${data.licences[column]}`].filter(Boolean).join(" · ");
  }
  function fits(column) {
    const reason = refusal(value("type"), column), here = environment();
    if (reason) return `${value("type")} and ${value("preference")} do not fit: ${reason}.`;
    if (here && column >= 0 && !here.preferences.includes(value("preference"))) return `${value("environment")} does not have this preference.`;
    return column < 0 ? "" : "KubeVirt admits this pair.";
  }
  // What is edited is saved; the form does not overwrite it until the editor is closed.
  function shown(manifest) {
    by("edited").value = manifest;
    by("save").href = "data:text/yaml;charset=utf-8," + encodeURIComponent(manifest);
  }
  function update() {
    const column = data.preferences.indexOf(value("preference")), here = environment();
    showSystem(column);
    showSizes(column);
    labelled(value("boot"), by("source-label"), form.elements.source, form.elements.size);
    for (const disk of list.children) disk.show();
    const vm = machine.read({
      name: value("name"), type: value("type"), preference: column + 1, preferenceName: value("preference"), run: value("run"),
      architecture: data.domains.architectures[column + 1], namespace: here?.namespace || "",
      disks: [{ kind: value("boot"), size: value("size"), source: machine.KINDS[value("boot")].source ? value("source") : "" }, ...[...list.children].map((disk) => disk.read())],
      pod: value("pod"), networks: value("networks"), user: value("user"), keys: value("keys"),
    });
    by("manifest").textContent = machine.manifest(vm);
    by("virtctl").textContent = machine.virtctl(vm);
    by("beside").replaceChildren(...machine.beside(vm).map((text) => site.make("li", {}, text)));
    if (by("editor").hidden) shown(machine.manifest(vm));
    by("fits").textContent = fits(column);
    by("fits").className = refusal(vm.type, column) ? "warning" : "";
    const { month, hour } = price(vm.type);
    by("price").textContent = month ? `${vm.type} costs ${month} ${data.currency} a month, ${hour} an hour.` : "";
    by("to-domain").href = "domain.html#" + new URLSearchParams(vm.preferenceName ? { type: vm.type, preference: vm.preferenceName } : { type: vm.type });
    by("problems").replaceChildren(...vm.problems.map((text) => site.make("li", {}, text)));
    by("problems").hidden = !vm.problems.length;
    site.keep(state);
    site.showDomain(vm.type, vm.preference, by);
  }
  function write() {
    followType();
    [initial.boot, initial.source] = bootsFrom();
    for (const name of single) {
      if (value(name) !== initial[name]) state.set(name, value(name)); else state.delete(name);
    }
    state.delete("disk");
    for (const row of list.children) {
      const disk = row.read();
      state.append("disk", [disk.kind, disk.size, disk.source].join(" "));
    }
    update();
  }
  function restore() {
    for (const name of single) {
      if (name === "type") initial.type = leastType();
      if (name === "boot") [initial.boot, initial.source] = bootsFrom();
      if (name === "source" && value("boot") !== initial.boot) initial.source = "";
      form.elements[name].value = state.get(name) ?? initial[name];
      if (form.elements[name].value === "" && form.elements[name].tagName === "SELECT") form.elements[name].value = initial[name];
    }
    list.replaceChildren();
    form.querySelector("details").open = ["disk", "pod", "networks", "user", "keys"].some((name) => state.has(name));
    for (const text of state.getAll("disk").slice(0, machine.DISKS - 2)) {
      const [kind, size, ...source] = text.split(" ");
      diskRow(kind, size || "", source.join(" "));
    }
    renumber();
  }

  form.elements.boot.append(...options(Object.keys(machine.KINDS)));
  for (const name of single) initial[name] = form.elements[name].value;
  // A boot source that nobody chose follows the system.
  let suggested = ["", ""];
  function suggest() {
    if (value("boot") === suggested[0] && value("source") === suggested[1]) [form.elements.boot.value, form.elements.source.value] = bootsFrom();
    suggested = bootsFrom();
  }
  form.elements.boot.addEventListener("change", () => {
    if (value("boot") === "image" && !value("source")) form.elements.source.value = data.plain.image;
    else if (value("boot") !== "image" && value("source") === suggested[1]) form.elements.source.value = "";
  });
  form.elements.preference.addEventListener("input", suggest);
  by("families").addEventListener("input", ({ target }) => {
    form.elements.preference.value = [...form.elements.preference.options].find((option) => option.dataset.family === target.value).value;
    suggest();
  });
  by("edit").addEventListener("click", () => {
    const open = by("editor").hidden;
    by("editor").hidden = !open;
    by("manifest").parentElement.hidden = open;
    by("edit").setAttribute("aria-expanded", String(open));
    by("edit").textContent = open ? "Back to the form's" : "Open in an editor";
    if (open) by("edited").focus(); else shown(by("manifest").textContent);
  });
  by("edited").addEventListener("input", () => shown(by("edited").value));
  by("link").addEventListener("click", async () => {
    try { await navigator.clipboard.writeText(location.href); by("link").textContent = "Copied"; } catch { prompt("The link", location.href); }
    setTimeout(() => { by("link").textContent = "Copy a link"; }, 2000);
  });
  for (const event of ["input", "change"]) form.addEventListener(event, write);
  form.addEventListener("submit", (event) => event.preventDefault());
  add.addEventListener("click", () => { diskRow("blank", "10", "").focus(); write(); });
  window.addEventListener("hashchange", () => { state = site.state(); restore(); update(); });
  restore();
  suggested = bootsFrom();
  update();
})();
