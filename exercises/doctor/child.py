"""Answer requests in the examined file's process: load the file, and compute graphs with the engine in it.

A guard refuses to write files and to open connections, and the Runner refuses to start processes. This protects
against accidents; it is not a sandbox.
"""

import contextlib
import json
import os
import pkgutil
import sys
import tempfile

from exercises.doctor.loading import load
from exercises.doctor.mapping import NoEngine, add_functions, find_engine
from exercises.doctor.subject import Subject

with contextlib.suppress(ImportError):  # now: once memory is limited, it may fail to start its threads
    import numpy

    numpy.seterr(all="ignore")

REFUSED = {"socket.connect", "socket.bind", "os.remove", "os.rename", "os.rmdir", "os.truncate", "shutil.rmtree"}
found = {}  # the Subject, once a file is loaded


def guard(event, args):
    """Refuse what a file should not do while its engine is judged."""
    if event in REFUSED:
        raise PermissionError(f"the doctor refused {event}")
    if event == "open" and isinstance(args[1], str) and set(args[1]) & set("wax+") and args[0] != os.devnull:
        raise PermissionError("the doctor lets a file write nothing")


def begin(path, is_whole):
    """Load a file and find its engine; return {"class", "data", …}, or {"why"} if there is none."""
    os.chdir(tempfile.gettempdir())
    sys.addaudithook(guard)
    try:
        loaded = load(path, is_whole)
        engine, name = find_engine(loaded)
    except SyntaxError as fault:
        return {"why": f"It is not Python that this version reads: {fault.msg} (line {fault.lineno})."}
    except NoEngine as fault:
        return {"why": f"No engine was found: {fault.why}.", "depth": fault.depth, "failed": loaded.failed}
    found["subject"] = Subject(engine, name, add_functions(engine, loaded.module))
    return found["subject"].described() | {"stand_ins": loaded.stand_ins}


def ask(method, *given):
    """Return the result of a method of the Subject."""
    return getattr(found["subject"], method)(*given)


def answer(question):
    """Return the answer to a question, {"function", "given"}, where no Runner reads it; both are JSON."""
    question = json.loads(question)
    return json.dumps(pkgutil.resolve_name(question["function"])(*question["given"]))
