"""In a kernel: cells that run in a copy of it. It imports little: each kernel of the tests imports this module."""

import contextlib
import json
import os
import tempfile
from pathlib import Path

FRESH = ("BACKPROP_DATA_DIR", "BACKPROP_ENGINE_DIR")  # in a copy of the kernel both folders are new


def in_a_copy(sources):
    """Fork the kernel, run these cells in the copy, and return their texts as JSON."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            text = json.dumps(run_silently(sources))
        except BaseException as fault:
            text = json.dumps([f"the copy failed: {fault!r}"] * len(sources))
        with os.fdopen(writing, "w", encoding="utf-8") as pipe:
            pipe.write(text)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return text


def run_silently(sources):
    """Return the texts of cells, run in a copy of a kernel, whose threads are gone, with nothing sent to any page."""
    import comm
    import comm.base_comm
    from IPython import get_ipython
    from IPython.utils.capture import capture_output

    class Silent(comm.base_comm.BaseComm):
        def publish_msg(self, *args, **kwargs):
            pass

    comm.base_comm.BaseComm.publish_msg = Silent.publish_msg
    comm.create_comm = Silent
    with contextlib.suppress(ImportError):
        import ipykernel.comm.comm

        ipykernel.comm.comm.BaseComm.publish_msg = Silent.publish_msg
    for name in FRESH:
        os.environ[name] = tempfile.mkdtemp(dir=Path(os.environ[name]).parent)
    get_ipython().history_manager.enabled = False  # one file for all copies
    texts = []
    for source in sources:
        with capture_output() as found:
            result = get_ipython().run_cell(source, store_history=True)
        fault = result.error_in_exec or result.error_before_exec
        shown = [output.data.get("text/plain", "") for output in found.outputs]
        printed = "" if fault else found.stdout
        texts.append(printed + "".join(shown) + (f"{type(fault).__name__}: {fault}" if fault else ""))
    return texts
