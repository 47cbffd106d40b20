// Graphviz as WebAssembly, on the browser's own engine: `graphviz(bytes)` is the function from DOT text to SVG text.

const BAD_FILE = 8; // WASI's number for a file that is not open
const ABSENT = 52; // and for what is not there: Graphviz asks for fonts and settings, and goes on without

/** What the module asks of its system: a clock, and somewhere to write, which is nowhere. */
function system(view) {
  const none = (...places) => {
    for (const place of places) view().setUint32(place, 0, true);
    return 0;
  };
  return {
    clock_time_get: (_clock, _precision, place) => {
      view().setBigUint64(place, BigInt(Math.round(performance.now() * 1e6)), true);
      return 0;
    },
    environ_get: () => 0,
    environ_sizes_get: none,
    fd_prestat_get: () => BAD_FILE,
    fd_write: (_file, parts, count, place) => {
      let length = 0;
      for (let i = 0; i < count; i += 1) length += view().getUint32(parts + 8 * i + 4, true);
      view().setUint32(place, length, true);
      return 0;
    },
    proc_exit: (code) => {
      throw new Error(`Graphviz ended with ${code}`);
    },
  };
}

/** The module's functions and memory, fresh: a run that failed may leave them in any state. */
function started(module) {
  let made = null;
  const calls = system(() => new DataView(made.exports.memory.buffer));
  const asked = WebAssembly.Module.imports(module).map(({ name }) => [name, calls[name] ?? (() => ABSENT)]);
  made = new WebAssembly.Instance(module, { wasi_snapshot_preview1: Object.fromEntries(asked) });
  return made.exports;
}

/** DOT text as SVG text, by the functions of a module that was started. */
function drawn(own, dot) {
  const bytes = (start, end) => new Uint8Array(own.memory.buffer).subarray(start, end);
  const put = (text) => {
    const data = new TextEncoder().encode(`${text}\0`);
    const place = own.malloc(data.length);
    bytes(place, place + data.length).set(data);
    return place;
  };
  const given = [dot, "svg", "dot"].map(put);
  const size = own.malloc(4);
  const found = own.graphviz_render(...given, size);
  const start = found || own.graphviz_last_error();
  const length = found ? new DataView(own.memory.buffer).getUint32(size, true) : bytes(start).indexOf(0);
  const text = new TextDecoder().decode(bytes(start, start + length));
  if (!found) throw new Error(text || "Graphviz failed");
  for (const place of [...given, size]) own.free(place);
  own.graphviz_free(found);
  return text;
}

export function graphviz(wasm) {
  const module = new WebAssembly.Module(wasm);
  let own = null;
  return (dot) => {
    try {
      return drawn((own ??= started(module)), dot);
    } catch (fault) {
      own = null;
      throw fault;
    }
  };
}
