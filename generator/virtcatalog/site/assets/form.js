"use strict";
// The form: its fields and the address they stand in, and what becomes of the VM they describe.
(() => {
  const data = site.data(), form = document.getElementById("vm"), list = document.getElementById("disks"), add = document.getElementById("add");
  const machine = site.vm;
  const single = ["name", "type", "preference", "run", "boot", "source", "size", "pod", "networks", "user", "keys"];
  const initial = {};
  let state = site.state();
  const by = (id) => document.getElementById(id);
  const value = (name) => form.elements[name].value.trim();

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

  function fits(row, column) {
    if (column < 0) return "";
    return row[column] ? `They do not fit: ${data.reasons[row[column] - 1]}.` : "KubeVirt admits this pair.";
  }
  function update() {
    const row = data.rows[data.types.indexOf(value("type"))], column = data.preferences.indexOf(value("preference"));
    labelled(value("boot"), by("source-label"), form.elements.source, form.elements.size);
    for (const disk of list.children) disk.show();
    const vm = machine.read({
      name: value("name"), type: value("type"), preference: column + 1, preferenceName: value("preference"), run: value("run"),
      architecture: data.domains.architectures[column + 1],
      disks: [{ kind: value("boot"), size: value("size"), source: machine.KINDS[value("boot")].source ? value("source") : "" }, ...[...list.children].map((disk) => disk.read())],
      pod: value("pod"), networks: value("networks"), user: value("user"), keys: value("keys"),
    });
    by("manifest").textContent = machine.manifest(vm);
    by("virtctl").textContent = machine.virtctl(vm);
    by("beside").replaceChildren(...machine.beside(vm).map((text) => site.make("li", {}, text)));
    by("fits").textContent = fits(row, column);
    by("problems").replaceChildren(...vm.problems.map((text) => site.make("li", {}, text)));
    by("problems").hidden = !vm.problems.length;
    site.keep(state);
    site.showDomain(vm.type, vm.preference, by);
  }
  function write() {
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
      form.elements[name].value = state.get(name) ?? initial[name];
      if (form.elements[name].value === "" && form.elements[name].tagName === "SELECT") form.elements[name].value = initial[name];
    }
    list.replaceChildren();
    for (const text of state.getAll("disk").slice(0, machine.DISKS - 2)) {
      const [kind, size, ...source] = text.split(" ");
      diskRow(kind, size || "", source.join(" "));
    }
    renumber();
  }

  form.elements.boot.append(...options(Object.keys(machine.KINDS)));
  form.elements.source.value = data.plain.image;
  for (const name of single) initial[name] = form.elements[name].value;
  form.elements.boot.addEventListener("change", () => {
    if (value("boot") === "image" && !value("source")) form.elements.source.value = data.plain.image;
    else if (value("boot") !== "image" && value("source") === data.plain.image) form.elements.source.value = "";
  });
  for (const event of ["input", "change"]) form.addEventListener(event, write);
  form.addEventListener("submit", (event) => event.preventDefault());
  add.addEventListener("click", () => { diskRow("blank", "10", "").focus(); write(); });
  window.addEventListener("hashchange", () => { state = site.state(); restore(); update(); });
  restore();
  update();
})();
