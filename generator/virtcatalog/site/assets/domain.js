"use strict";
// A VM's libvirt domain and its Pod's requests, put together from what was made in advance for its pair.
site.domains = (() => {
  const known = site.data().domains;
  const shared = [], types = new Map(), waiting = new Map();
  site.shared = (things) => shared.push(...things);
  site.own = ([name, things, rows]) => types.set(name, { things, rows });

  // A page from a folder may read no file, but run one that is a script.
  function load(name) {
    if (!waiting.has(name)) {
      waiting.set(name, new Promise((done) => {
        const script = site.make("script", { src: "domains/" + encodeURIComponent(name) + ".js" });
        script.addEventListener("load", done);
        script.addEventListener("error", done);
        document.head.append(script);
      }));
    }
    return waiting.get(name);
  }

  const filled = (text, values) => text.replaceAll(new RegExp(known.hole + "([\\w-]+)" + known.hole, "g"), (hole, name) =>
    Object.hasOwn(values, name) ? values[name] : hole);

  // SHA-1 of bytes as hexadecimal digits: browsers have it for pages of https alone.
  function sha1(bytes) {
    const words = [], length = bytes.length * 8, state = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];
    const padded = [...bytes, 0x80];
    while (padded.length % 64 !== 56) padded.push(0);
    for (let shift = 56; shift >= 0; shift -= 8) padded.push(Math.floor(length / 2 ** shift) & 255);
    const turned = (word, by) => (word << by) | (word >>> (32 - by));
    for (let start = 0; start < padded.length; start += 64) {
      for (let i = 0; i < 80; i++) {
        const at = start + 4 * i;
        words[i] = i < 16 ? (padded[at] << 24) | (padded[at + 1] << 16) | (padded[at + 2] << 8) | padded[at + 3]
          : turned(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
      }
      let [a, b, c, d, e] = state;
      for (let i = 0; i < 80; i++) {
        const [mixed, constant] = i < 20 ? [(b & c) | (~b & d), 0x5a827999] : i < 40 ? [b ^ c ^ d, 0x6ed9eba1]
          : i < 60 ? [(b & c) | (b & d) | (c & d), 0x8f1bbcdc] : [b ^ c ^ d, 0xca62c1d6];
        [a, b, c, d, e] = [(turned(a, 5) + mixed + e + constant + words[i]) | 0, a, turned(b, 30), c, d];
      }
      [a, b, c, d, e].forEach((word, i) => { state[i] = (state[i] + word) | 0; });
    }
    return state.map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
  }
  // A UUID of version 5: KubeVirt draws some of a VM's at random, and expand makes them of its name in this way.
  function uuid([space, start], name) {
    const digits = sha1([...space.match(/../g).map((pair) => parseInt(pair, 16)), ...new TextEncoder().encode(start + name)]);
    const variant = ((parseInt(digits[16], 16) & 3) | 8).toString(16);
    return [digits.slice(0, 8), digits.slice(8, 12), "5" + digits.slice(13, 16), variant + digits.slice(17, 20), digits.slice(20, 32)].join("-");
  }

  function composed(thing, [first, between, behind, after, disks, links, numbers], vm) {
    const [firstPort, ports, threads] = thing(numbers);
    const ordered = [...vm.disks.filter((disk) => disk.first), ...vm.disks.filter((disk) => !disk.first)];
    const wanted = ordered.map((disk) => [disk.kind + (disk.first ? " first" : ""), disk]);
    if (vm.cloud) wanted.push(["cloud", { name: known.cloud }]);
    const own = threads.length ? threads[wanted.length] : [];
    const lines = [];
    const put = ([text, sources], values) => {
      text.split("\n").forEach((line, index) => lines.push([filled(line, values), sources.length > 1 ? sources[index] : sources]));
    };
    const run = (place) => { for (const unit of thing(place)) put(thing(unit), {}); };
    run(first);
    wanted.forEach(([part, disk], place) => put(thing(thing(disks)[known.parts.indexOf(part)]), {
      disk: disk.name, letter: String.fromCharCode(97 + place), unit: place, bytes: disk.bytes, order: place + 1, thread: own[place + 1],
    }));
    run(between);
    const free = ports[wanted.length][vm.links.length], last = Math.min(firstPort + free - 1, known.last);
    for (let index = firstPort; index <= last; index++) put([known.port, "k"], { index });
    run(behind);
    vm.links.forEach((link, place) => put(thing(thing(links)[[known.pod, ...known.links].indexOf(link)]), { number: place + 1 }));
    run(after);
    const values = { qemu: free ? "" : known.qemu, threads: own[0] };
    return lines.map(([line, source]) => [filled(line, values), source]);
  }

  // What is told of a VM: {lines: [[text, source]…], requests}, or {why} there is nothing.
  async function told(vm) {
    if (known.leftOut) return { why: known.leftOut };
    await load(vm.type);
    const of = types.get(vm.type);
    if (!of) return { why: "The file with the domains of this type is missing." };
    const thing = (place) => (place < shared.length ? shared[place] : of.things[place - shared.length]);
    const row = of.rows[vm.preference];
    if (typeof row === "string") return { why: row };
    if (!row) return { why: "They do not fit: KubeVirt makes no domain." };
    const image = vm.disks.some((disk) => disk.kind === "image");
    let lines, requests;
    if (row.length > 2) {
      lines = composed(thing, row, vm);
      requests = thing(thing(row[7])[2 * image + (vm.links.length > 0)]);
    } else {
      if (!image || vm.cloud || vm.disks.length > 1 || vm.links.join() !== known.pod)
        return { why: "What this pair makes of a VM depends on its disks and interfaces in more than one way, and is known here for one image and the pod's network alone: " + known.ask + "." };
      lines = thing(row[0]).flatMap((unit) => thing(unit)[0].split("\n").map((line, index) =>
        [line, thing(unit)[1].length > 1 ? thing(unit)[1][index] : thing(unit)[1]]));
      requests = thing(row[1]);
    }
    const values = { name: vm.name };
    for (const [what, how] of Object.entries(known.identities)) values[what] = uuid(how, vm.name);
    return { lines: lines.map(([line, source]) => [filled(line, values), source]), requests };
  }
  return { told };
})();
