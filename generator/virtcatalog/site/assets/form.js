"use strict";
// A VM of what is chosen: its manifest, virtctl's line for it, and whether the pair fits.
(() => {
  const data = site.data(), form = document.getElementById("vm");
  let state = site.state();
  const value = (name) => form.elements[name].value.trim();

  // Plain where every reader of YAML takes it for text, else in quotes, as JSON has it.
  const words = /^(true|false|yes|no|on|off|y|n|null)$/i;
  const yaml = (text) => (/^[A-Za-z][\w]*(?:[-./:@][\w]+)*$/.test(text) && !words.test(text) ? text : JSON.stringify(text));
  const shell = (text) => (/^[\w./:@=,-]+$/.test(text) ? text : "'" + text.replaceAll("'", "'\\''") + "'");

  function manifest() {
    const lines = ["apiVersion: kubevirt.io/v1", "kind: VirtualMachine", "metadata:", `  name: ${yaml(value("name"))}`, "spec:"];
    lines.push("  instancetype:", `    name: ${yaml(value("type"))}`);
    if (value("preference")) lines.push("  preference:", `    name: ${yaml(value("preference"))}`);
    lines.push(`  runStrategy: ${value("run")}`, "  template:", "    spec:", "      domain:", "        devices: {}");
    lines.push("      volumes:", "      - name: root");
    if (value("boot") === "image") lines.push("        containerDisk:", `          image: ${yaml(value("source"))}`);
    else lines.push("        persistentVolumeClaim:", `          claimName: ${yaml(value("source"))}`);
    return lines.join("\n") + "\n";
  }
  function virtctl() {
    const flags = [["name", value("name")], ["instancetype", value("type")], ["preference", value("preference")], ["run-strategy", value("run")]];
    flags.push([value("boot") === "image" ? "volume-containerdisk" : "volume-pvc", "src:" + value("source")]);
    return "virtctl create vm " + flags.filter(([, text]) => text).map(([flag, text]) => `--${flag} ${shell(text)}`).join(" ");
  }
  function fits() {
    const row = data.rows[data.types.indexOf(value("type"))], column = data.preferences.indexOf(value("preference"));
    if (!row || column < 0) return "";
    return row[column] ? `They do not fit: ${data.reasons[row[column] - 1]}.` : "KubeVirt admits this pair.";
  }
  function update() {
    document.getElementById("manifest").textContent = manifest();
    document.getElementById("virtctl").textContent = virtctl();
    document.getElementById("fits").textContent = fits();
    site.keep(state);
  }
  function restore() {
    for (const field of form.elements) if (state.get(field.name)) field.value = state.get(field.name);
  }
  for (const event of ["input", "change"]) form.addEventListener(event, () => { site.write(form, state); update(); });
  form.addEventListener("submit", (event) => event.preventDefault());
  window.addEventListener("hashchange", () => { state = site.state(); restore(); update(); });
  restore();
  update();
})();
