"""A real JupyterLab for the browser tests: its own folders, its own port, shut down whatever happens."""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request

HIDDEN = bool(os.environ.get("BACKPROP_NO_BROWSER"))  # as on a machine that has no browser
NAMES = () if HIDDEN else ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)

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


@contextlib.contextmanager
def jupyter_lab(folder, work):
    """Run JupyterLab over the notebooks in `folder`, with its state in `work`; yields its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    places = {name: work / name for name in ("config", "data", "runtime", "settings", "workspaces", "ipython")}
    for place in places.values():
        place.mkdir(parents=True, exist_ok=True)
    setting(places["settings"], "notebook-extension", "tracker", {"windowingMode": "none"})  # all cells in the page
    setting(places["settings"], "apputils-extension", "notification", {"fetchNews": "false", "checkForUpdates": False})
    environment = {
        **os.environ,
        "JUPYTER_CONFIG_DIR": str(places["config"]),
        "JUPYTER_DATA_DIR": str(places["data"]),
        "JUPYTER_RUNTIME_DIR": str(places["runtime"]),
        "JUPYTERLAB_SETTINGS_DIR": str(places["settings"]),
        "JUPYTERLAB_WORKSPACES_DIR": str(places["workspaces"]),
        "IPYTHONDIR": str(places["ipython"]),
    }
    command = [
        *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}"),
        *("--ServerApp.port_retries=0", "--IdentityProvider.token=", f"--ServerApp.root_dir={folder}"),
        *("--LabApp.expose_app_in_browser=True", "--LabApp.extension_manager=readonly"),
    ]
    log = (work / "server.log").open("w", encoding="utf-8")
    server = subprocess.Popen(command, env=environment, stdout=log, stderr=log, start_new_session=True)
    address = f"http://127.0.0.1:{port}"
    try:
        wait_for(address, server, work / "server.log")
        yield address
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(server.pid, signal.SIGTERM)
        try:
            server.wait(timeout=10)
        except subprocess.TimeoutExpired:
            os.killpg(server.pid, signal.SIGKILL)
        log.close()


def setting(folder, extension, plugin, values):
    """Write one of JupyterLab's settings."""
    place = folder / "@jupyterlab" / extension
    place.mkdir(parents=True, exist_ok=True)
    (place / f"{plugin}.jupyterlab-settings").write_text(json.dumps(values), encoding="utf-8")


def wait_for(address, server, log, seconds=60):
    """Wait until the server answers."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if server.poll() is not None:
            break
        with contextlib.suppress(OSError):
            urllib.request.urlopen(f"{address}/api/status", timeout=2).read()
            return
        time.sleep(0.1)
    raise RuntimeError(f"JupyterLab did not start:\n{log.read_text(encoding='utf-8')[-3000:]}")


def open_notebook(page, address, name):
    """Open a notebook in the page and wait until its kernel is idle."""
    page.goto(f"{address}/lab/tree/{name}?reset")
    page.wait_for_function(
        "() => window.jupyterapp?.shell.currentWidget?.context?.sessionContext?.session?.kernel?.status === 'idle'",
        timeout=60_000,
    )


def run_all(page, timeout=120_000):
    """Run all cells and wait until none is running."""
    page.evaluate("() => { window.jupyterapp.commands.execute('notebook:run-all-cells'); }")
    page.wait_for_timeout(300)
    page.wait_for_function(
        """() => {
          const panel = window.jupyterapp.shell.currentWidget;
          const idle = panel.context.sessionContext.session.kernel.status === 'idle';
          const cells = panel.content.model.toJSON().cells.filter((cell) => cell.cell_type === 'code');
          const stopped = cells.some((cell) => cell.outputs.some((output) => output.output_type === 'error'));
          return idle && (stopped || cells.every((cell) => cell.execution_count !== null));
        }""",
        timeout=timeout,
    )


def errors(page):
    """The error outputs of the notebook in the page, from its model."""
    return page.evaluate(
        """() => window.jupyterapp.shell.currentWidget.content.model.toJSON().cells
             .flatMap((cell) => (cell.outputs || []).filter((output) => output.output_type === 'error'
               && !(cell.metadata.tags || []).includes('raises-exception')))
             .map((output) => `${output.ename}: ${output.evalue}`)"""
    )


def outputs(page):
    """All outputs of the notebook in the page, from its model."""
    return page.evaluate(
        """() => window.jupyterapp.shell.currentWidget.content.model.toJSON().cells
             .flatMap((cell) => cell.outputs || [])"""
    )
