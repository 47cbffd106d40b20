"""A real JupyterLab for the browser tests, one per worker: its own folders, its own port, shut down at the end."""

import contextlib
import functools
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import uuid
from dataclasses import dataclass
from pathlib import Path

HIDDEN = bool(os.environ.get("BACKPROP_NO_BROWSER"))  # as on a machine that has no browser
SHELL = "chromium-headless-shell"  # the same without windows, in two thirds of the processor's time
NAMES = () if HIDDEN else (SHELL, "chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)

FOLDERS = {  # of a server's own, and the variables that name them
    "config": "JUPYTER_CONFIG_DIR",
    "data": "JUPYTER_DATA_DIR",
    "runtime": "JUPYTER_RUNTIME_DIR",
    "settings": "JUPYTERLAB_SETTINGS_DIR",
    "workspaces": "JUPYTERLAB_WORKSPACES_DIR",
    "ipython": "IPYTHONDIR",
}
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-background-timer-throttling",
    "--disable-renderer-backgrounding",
    "--force-color-profile=srgb",
]


class Lab:
    """A JupyterLab that all browser tests of a worker share; each module has its own folder in it."""

    def __init__(self):
        self.work = Path(tempfile.mkdtemp())
        self.places = {name: self.work / name for name in (*FOLDERS, "root")}
        for place in self.places.values():
            place.mkdir()
        self.settle()
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        environment = os.environ | {name: str(self.places[place]) for place, name in FOLDERS.items()}
        command = [
            *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}"),
            *("--ServerApp.port_retries=0", "--IdentityProvider.token=", "--ServerApp.disable_check_xsrf=True"),
            *(f"--ServerApp.root_dir={self.places['root']}", "--LabApp.expose_app_in_browser=True"),
            "--LabApp.extension_manager=readonly",
        ]
        self.log, self.address = self.work / "server.log", f"http://127.0.0.1:{port}"
        with self.log.open("w", encoding="utf-8") as log:
            self.server = subprocess.Popen(command, env=environment, stdout=log, stderr=log, start_new_session=True)
        wait_for(self.address, self.server, self.log)

    def settle(self):
        """Restore the settings that every module expects, whatever theme the last one chose."""
        settings = self.places["settings"]
        shutil.rmtree(settings)
        setting(settings, "notebook-extension", "tracker", {"windowingMode": "none"})  # all cells in the page
        setting(settings, "apputils-extension", "notification", {"fetchNews": "false", "checkForUpdates": False})

    def end_kernels(self):
        for session in json.load(urllib.request.urlopen(f"{self.address}/api/sessions", timeout=20)):
            ending = urllib.request.Request(f"{self.address}/api/sessions/{session['id']}", method="DELETE")
            with contextlib.suppress(urllib.error.HTTPError):  # it has ended by itself
                urllib.request.urlopen(ending, timeout=20).read()

    def close(self):
        """End the server, and everything that it has started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.server.pid, signal.SIGTERM)
        try:
            self.server.wait(timeout=10)
        except subprocess.TimeoutExpired:
            os.killpg(self.server.pid, signal.SIGKILL)
        shutil.rmtree(self.work, ignore_errors=True)


@functools.cache
def lab():
    """Return the Lab of this process, started when it is first needed."""
    return Lab()


def close():
    """End the Lab of this process, if there is one."""
    if lab.cache_info().currsize:
        lab().close()
        lab.cache_clear()


@dataclass(frozen=True)
class Folder:
    """A folder of notebooks in a Lab, and where its part of the log begins."""

    lab: Lab
    name: str
    begins: int

    def url(self, name):
        return f"{self.lab.address}/lab/tree/{self.name}/{name}?reset"

    def log(self):
        """Return what the server has written since."""
        return self.lab.log.read_text(encoding="utf-8")[self.begins :]


@contextlib.contextmanager
def jupyter_lab(folder):
    """Yield the notebooks in `folder` as a Folder of the Lab, with new settings; then end its kernels."""
    running = lab()
    running.settle()
    link = running.places["root"] / uuid.uuid4().hex
    link.symlink_to(folder, target_is_directory=True)
    try:
        yield Folder(running, link.name, len(running.log.read_text(encoding="utf-8")))
    finally:
        running.end_kernels()
        link.unlink()


def setting(folder, extension, plugin, values):
    place = folder / "@jupyterlab" / extension
    place.mkdir(parents=True, exist_ok=True)
    (place / f"{plugin}.jupyterlab-settings").write_text(json.dumps(values), encoding="utf-8")


def wait_for(address, server, log, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if server.poll() is not None:
            break
        with contextlib.suppress(OSError):
            urllib.request.urlopen(f"{address}/api/status", timeout=2).read()
            return
        time.sleep(0.1)
    raise RuntimeError(f"JupyterLab did not start:\n{log.read_text(encoding='utf-8')[-3000:]}")


def open_notebook(page, folder, name):
    """Open a notebook of a Folder in the page and wait until its kernel is idle."""
    page.goto(folder.url(name))
    wait_for_kernel(page)


def wait_for_kernel(page):
    page.wait_for_function(
        "() => window.jupyterapp?.shell.currentWidget?.context?.sessionContext?.session?.kernel?.status === 'idle'",
        timeout=60_000,
    )


def open_next(page, folder, name):
    """Open another notebook of the Folder that the page shows, in place of the one there, and wait for its kernel."""
    page.evaluate(
        """async (path) => {
          const shown = window.jupyterapp.shell.currentWidget;
          await shown.context.sessionContext.shutdown();
          shown.dispose();
          await window.jupyterapp.commands.execute('docmanager:open', { path });
        }""",
        f"{folder.name}/{name}",
    )
    wait_for_kernel(page)


def run_all(page, timeout=120_000):
    """Run all cells, and wait until none is running and each that has run reports it.

    This asks the page ten times a second, not at every picture, and only for counts: a lesson as JSON is megabytes.
    """
    page.evaluate(
        """() => {
          const panel = window.jupyterapp.shell.currentWidget;
          panel.ran = false;
          window.jupyterapp.commands.execute('notebook:run-all-cells').finally(() => { panel.ran = true; });
        }"""
    )
    page.wait_for_function(
        """() => {
          const panel = window.jupyterapp.shell.currentWidget;
          if (!panel.ran || panel.context.sessionContext.session.kernel.status !== 'idle') return false;
          const cells = [...panel.content.model.cells].filter((cell) => cell.type === 'code');
          const stopped = cells.some(({ outputs }) => [...Array(outputs.length).keys()]
            .some((place) => outputs.get(place).type === 'error'));
          return stopped || cells.every((cell) => cell.executionCount !== null);
        }""",
        timeout=timeout,
        polling=100,
    )


def errors(page):
    """Return the error outputs of the notebook in the page, from its model."""
    return page.evaluate(
        """() => window.jupyterapp.shell.currentWidget.content.model.toJSON().cells
             .flatMap((cell) => (cell.outputs || []).filter((output) => output.output_type === 'error'
               && !(cell.metadata.tags || []).includes('raises-exception')))
             .map((output) => `${output.ename}: ${output.evalue}`)"""
    )


def outputs(page):
    """Return all outputs of the notebook in the page, from its model."""
    return page.evaluate(
        """() => window.jupyterapp.shell.currentWidget.content.model.toJSON().cells
             .flatMap((cell) => cell.outputs || [])"""
    )
