// One examination, in a worker of its own: one Python judges, and another runs the examined file. Once both are there,
// nothing can be fetched any more; only then is the file given to them.

(() => {
  const NETWORK = ["fetch", "XMLHttpRequest", "WebSocket", "WebTransport", "EventSource", "Worker", "importScripts", "caches"];
  const FOLDER = "/examined";
  const DEEPEST = 300; // calls in each other: a worker has a small stack, and an engine that calls itself for ever would end Python
  // Of figures only the modules that draw are loaded: its labs would need IPython and widgets.
  const BARE = "from importlib import util; import sys; sys.modules['figures'] = util.module_from_spec(util.find_spec('figures'))";
  const silent = { stdout: () => {}, stderr: () => {}, stdin: () => undefined };

  // Each Python begins with the same files, which are fetched once.
  function fetchOnce() {
    const fetched = new Map();
    const real = self.fetch;
    self.fetch = async (address, options) => {
      const key = String(address.url ?? address);
      if (!fetched.has(key)) fetched.set(key, real(address, options));
      return (await fetched.get(key)).clone();
    };
  }

  // A Python with the course's code, and only those of its packages that are named.
  async function pythonWith(packages, { python, wheel }) {
    const started = await self.loadPyodide({ indexURL: python, ...silent });
    const [response] = await Promise.all([fetch(`${python}${wheel}`), started.loadPackage(packages, { messageCallback: () => {} })]);
    if (!response.ok) throw new Error(`status ${response.status}`);
    started.unpackArchive(await response.arrayBuffer(), "wheel");
    return started;
  }

  function put({ FS }, files) {
    FS.mkdirTree(FOLDER);
    for (const { name, data } of files) FS.writeFile(`${FOLDER}/${name}`, data);
  }

  function examine(judge, child, { files, name, isWhole }) {
    child.pyimport("sys").setrecursionlimit(DEEPEST);
    const { answer } = child.pyimport("exercises.doctor.child");
    for (const each of [judge, child]) put(each, files);
    for (const each of NETWORK) self[each] = undefined;
    self.postMessage({ begun: true });
    const told = judge.pyimport("exercises.doctor.browser").examine(`${FOLDER}/${name}`, isWhole, answer);
    if (!told) throw new Error("it ended Python itself, or broke it.");
    return JSON.parse(told);
  }

  async function prepared(told) {
    fetchOnce();
    self.importScripts(`${told.python}pyodide.js`);
    const [judge, child] = await Promise.all([pythonWith(told.packages, told), pythonWith([], told)]);
    judge.runPython(BARE);
    judge.pyimport("exercises.doctor.browser");
    return [judge, child];
  }

  const given = {};
  given.all = new Promise((resolve) => { given.resolve = resolve; });
  self.addEventListener("message", async ({ data }) => {
    if (data.files) return given.resolve(data);
    try {
      const [judge, child] = await prepared(data);
      self.postMessage({ ready: true });
      const asked = await given.all;
      if (asked.numpy) await child.loadPackage("numpy", { messageCallback: () => {} });
      self.postMessage({ verdict: examine(judge, child, asked) });
    } catch (fault) {
      self.postMessage({ fault: fault.message.trim().split("\n").at(-1) });
    }
  });
})();
