"use strict";
// The libvirt domain and the Pod's requests of a pair's plain VM, as they were when the site was built.
(() => {
  const data = site.data().domains, types = new Map();
  let asked = 0;
  site.domain = ([name, ...type]) => types.set(name, type);

  // {lines: [[text, source]…], requests} of a type and the preference of that number (0: none), or {why} there is nothing.
  async function of(type, preference) {
    if (data.leftOut) return { why: data.leftOut };
    await site.load(`domains/${encodeURIComponent(type)}.js`);
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
  // Show both; the domain only where the page has a place for it.
  site.showDomain = async (type, preference, by) => {
    const number = ++asked, place = by("domain"); // what was asked for before is not shown any more
    by("requests").setAttribute("aria-busy", "true");
    const domain = await of(type, preference);
    if (number !== asked) return;
    by("no-domain").textContent = domain.why || "";
    by("requests").textContent = domain.requests || "";
    let before = "";
    place?.replaceChildren(...(domain.lines || []).map(([text, source]) => {
      const line = site.make("span", { className: `line from-${source}` }, text + "\n");
      if (source !== before) line.dataset.from = data.sources[source];
      before = source;
      return line;
    }));
    by("requests").setAttribute("aria-busy", "false");
  };
})();
