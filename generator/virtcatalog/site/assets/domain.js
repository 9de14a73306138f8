"use strict";
// The libvirt domain and the Pod's requests of a pair's plain VM, as they were when the site was built.
site.domains = (() => {
  const data = site.data().domains, types = new Map(), loading = new Map();
  site.domain = ([name, ...type]) => types.set(name, type);

  // A page from a folder may read no file, but run one that is a script.
  function load(name) {
    if (!loading.has(name)) {
      loading.set(name, new Promise((done) => {
        const script = site.make("script", { src: "domains/" + encodeURIComponent(name) + ".js" });
        script.addEventListener("load", done);
        script.addEventListener("error", done);
        document.head.append(script);
      }));
    }
    return loading.get(name);
  }

  // {lines: [[text, source]…], requests} of a type and the preference of that number (0: none), or {why} there is nothing.
  async function of(type, preference) {
    if (data.leftOut) return { why: data.leftOut };
    await load(type);
    if (!types.has(type)) return { why: "The file with the domains of this type is missing." };
    const [blocks, requests, rows] = types.get(type), row = rows[preference];
    if (typeof row === "string") return { why: row };
    if (!row) return { why: "They do not fit: KubeVirt makes no domain." };
    const lines = row.slice(1).flatMap((place) => {
      const [text, sources] = blocks[place];
      return text.split("\n").map((line, index) => [line, sources.length > 1 ? sources[index] : sources]);
    });
    return { lines, requests: requests[row[0]] };
  }
  return { of };
})();
