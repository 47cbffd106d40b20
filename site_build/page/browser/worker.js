// The part of the course in the page's service worker: it stands before JupyterLite's own, and answers what is of the
// build. What a build never changes comes from the cache, where it was fetched once, however the network is; the rest
// comes fresh, or from the cache where the network gives nothing. Its channel says how far Python's files have come.

(() => {
  const { files, boot, spare } = self.backprop; // {path or address: [hash, bytes]}; the files of the start; spare ones
  const CACHE = "backprop";
  const STALLED = 8000; // milliseconds without a byte after which a request is given up, and made again
  const PATIENCE = 3000; // that a fresh file may take where an older one is at hand
  const LONGEST = 10000; // between two attempts, and for which a network that gave nothing counts as away
  const SOON = 30_000; // after which a fresh file is asked for again: JupyterLite asks for a notebook six times in a row
  const OFTEN = 150; // between two reports
  const FIXED = /^https?:|^pyodide\/|(\.[0-9a-f]{7,}|\/backprop-(labs|quiz))\.js$|\.(png|ico|woff2?|css)$/; // its content goes with its name

  const channel = new BroadcastChannel("backprop");
  const here = new Map(); // how many bytes of a file have come
  const under = new Map(); // what is being fetched, so that nothing is fetched twice
  const latest = new Map(); // when a fresh file was asked for last, and the response
  const slow = new Set(); // files that wait for the network
  let away = 0; // until when the network counts as away
  let told = 0;
  let wake = () => {};
  let woken = new Promise((resolve) => { wake = resolve; });

  const pause = (time) => new Promise((resolve) => { setTimeout(resolve, time); });
  const total = (names) => names.reduce((sum, name) => sum + files[name][1], 0);
  const come = (names) => names.reduce((sum, name) => sum + Math.min(here.get(name) ?? 0, files[name][1]), 0);

  function tell(now = true) {
    if (!now && Date.now() - told < OFTEN) return;
    told = Date.now();
    const later = [...under.keys()].filter((name) => under.get(name).asked && !boot.includes(name));
    const state = { got: come(boot), total: total(boot), waiting: slow.size > 0 };
    channel.postMessage({ ...state, laterGot: come(later), laterTotal: total(later) });
  }

  const addressOf = (name) => (/^https?:/.test(name) ? name : new URL(name, self.registration.scope).href);

  // A file's name in `files`, "" for what is none of them.
  function nameOf(address) {
    const url = new URL(address);
    url.search = url.hash = "";
    const scope = self.registration.scope;
    let name = url.href.startsWith(scope) ? url.href.slice(scope.length) : url.href;
    if (name === "" || (name.endsWith("/") && !/^https?:/.test(name))) name += "index.html";
    return Object.hasOwn(files, name) ? name : "";
  }

  const keyOf = (name) => `${addressOf(name)}?bp=${FIXED.test(name) ? files[name][0] : "fresh"}`;

  // The next chunk of a body; an error where none comes in time.
  async function chunk(reader, control) {
    const late = setTimeout(() => control.abort(), STALLED);
    try {
      return await reader.read();
    } finally {
      clearTimeout(late);
    }
  }

  async function opened(name, from, control) {
    const late = setTimeout(() => control.abort(), STALLED);
    const own = addressOf(name).startsWith(self.location.origin);
    const headers = from && own ? { Range: `bytes=${from}-` } : {};
    try {
      return await fetch(addressOf(name), { headers, signal: control.signal, cache: "no-cache" });
    } finally {
      clearTimeout(late);
    }
  }

  function empty(name, parts) {
    parts.length = 0;
    parts.resumed = false;
    here.set(name, 0);
  }

  // One attempt to fetch what a file still lacks. parts: what has come. Returns the response if it is of no more use.
  async function attempt(name, parts) {
    const control = new AbortController();
    const response = await opened(name, here.get(name), control);
    if (response.status >= 500) throw new Error(`status ${response.status}`);
    if (!response.ok) return response;
    if (response.status === 206) parts.resumed = true;
    else empty(name, parts);
    if (slow.delete(name)) tell();
    const reader = response.body.getReader();
    for (let next = await chunk(reader, control); !next.done; next = await chunk(reader, control)) {
      parts.push(next.value);
      here.set(name, here.get(name) + next.value.length);
      tell(false);
    }
    parts.type = response.headers.get("Content-Type") ?? "application/octet-stream";
    return null;
  }

  const hashOf = async (body) => [...new Uint8Array(await crypto.subtle.digest("SHA-256", await body.arrayBuffer()))]
    .map((byte) => byte.toString(16).padStart(2, "0")).join("").slice(0, 16);

  // A file, fetched for as long as it takes.
  async function fetched(name) {
    const parts = [];
    empty(name, parts);
    for (let wait = 1000; ; wait = Math.min(2 * wait, LONGEST)) {
      try {
        const refused = await attempt(name, parts);
        if (refused) return refused;
        const body = new Blob(parts);
        const right = !FIXED.test(name) || files[name][0] === (await hashOf(body));
        if (right || !parts.resumed) return await answer(name, body, parts.type, right); // else of two builds, a half each
        empty(name, parts);
      } catch {
        // said below
      }
      slow.add(name);
      tell();
      await Promise.race([pause(wait), woken]);
    }
  }

  // The response with a body, which is kept if it is right: a newer build may have another file of that name.
  async function answer(name, body, type, right) {
    const response = new Response(body, { headers: { "Content-Type": type, "Content-Length": body.size } });
    if (right) await store(name, response.clone());
    here.set(name, files[name][1]);
    tell();
    return response;
  }

  async function store(name, response) {
    try {
      await (await caches.open(CACHE)).put(keyOf(name), response);
    } catch {
      // no room: then it is fetched again next time
    }
  }

  // A file that is fetched now, by whoever asked first; each gets a response of their own.
  async function shared(name, asked) {
    if (!under.has(name)) {
      const job = { asked, response: fetched(name) };
      under.set(name, job);
      const done = () => { under.delete(name); slow.delete(name); tell(); };
      job.response.then(done, done);
    }
    under.get(name).asked ||= asked;
    return (await under.get(name).response).clone();
  }

  async function fixed(name, asked) {
    const found = await (await caches.open(CACHE)).match(keyOf(name));
    if (!found) return shared(name, asked);
    here.set(name, files[name][1]);
    tell(false);
    return found;
  }

  // What the network has under a name now; asked once for all who want it in a row.
  function newest(name, request, key) {
    const last = latest.get(key);
    if (last && Date.now() - last.time < SOON) return last.response;
    const response = fetch(request.mode === "navigate" ? request : new Request(request, { cache: "no-cache" }))
      .then(async (came) => {
        if (!came.ok) throw new Error(`status ${came.status}`);
        await store(name, came.clone());
        return came;
      });
    latest.set(key, { time: Date.now(), response });
    response.catch(() => latest.delete(key));
    return response;
  }

  // The newest there is, if it comes in time; else what is at hand.
  async function fresh(name, { request, clientId, resultingClientId }) {
    const key = `${name} for ${resultingClientId || clientId}`; // another page asks anew
    const found = await (await caches.open(CACHE)).match(keyOf(name));
    if (!found) {
      const response = shared(name, true);
      latest.set(key, { time: Date.now(), response });
      return (await response).clone();
    }
    if (Date.now() < away) return found;
    const late = pause(PATIENCE).then(() => { throw new Error("late"); });
    try {
      return (await Promise.race([newest(name, request, key), late])).clone();
    } catch {
      away = Date.now() + LONGEST;
      return found;
    }
  }

  // Everything that a lesson never opened before may need, fetched in peace; also what the page already has.
  async function fill(used) {
    const names = new Set([...used.map(nameOf), ...Object.keys(files).filter((name) => !spare.includes(name))]);
    names.delete("");
    for (const name of names) {
      const found = await (await caches.open(CACHE)).match(keyOf(name));
      if (!found) await shared(name, false);
    }
    channel.postMessage({ filled: true });
  }

  // Of an older build nothing is kept.
  async function clear() {
    const cache = await caches.open(CACHE);
    const wanted = new Set(Object.keys(files).map((name) => new URL(keyOf(name)).href));
    for (const request of await cache.keys()) if (!wanted.has(request.url)) await cache.delete(request);
  }

  self.addEventListener("activate", (event) => event.waitUntil(clear()));
  self.addEventListener("message", (event) => {
    if (event.data.fill) event.waitUntil(fill(event.data.fill));
    if (event.data.ask) tell();
    if (event.data.online) {
      away = 0;
      wake();
      woken = new Promise((resolve) => { wake = resolve; });
    }
  });
  self.addEventListener("fetch", (event) => {
    const name = event.request.method === "GET" ? nameOf(event.request.url) : "";
    if (!name) return;
    event.stopImmediatePropagation(); // JupyterLite's own listener comes after this one
    event.respondWith(FIXED.test(name) ? fixed(name, true) : fresh(name, event));
  });
})();
