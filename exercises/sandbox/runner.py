"""Runs a learner's code in a separate process, with limits of time and memory: what it does there costs a sentence.

`Runner().ask("module:function", …)` calls the function there, and returns its result, as plain data. The process begins
with the first question, answers one after the other, and begins again if one ended it.
"""

import contextlib
import json
import os
import pkgutil
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

WORK, TIMEOUT = 12, 40.0  # seconds of CPU time, and of wall-clock time, for one question
MEMORY_LIMIT = 2**30  # bytes in addition to what the course itself takes
FILE_LIMIT = 2**20  # bytes of a file that code may write there
LONGEST = 2**20  # characters of an answer
PROCESS_EVENTS = ("os.fork", "os.forkpty", "os.posix_spawn", "os.exec", "os.spawn", "os.system", "subprocess.Popen")
REFUSED = (*PROCESS_EVENTS, "os.kill", "os.killpg")  # system calls that code may not make there


class Ended(Exception):
    """The process gave no answer; the message says why, without subject and full stop."""


def is_available():
    """Return whether this platform has other processes: a browser has none."""
    return sys.platform != "emscripten" and bool(sys.executable)


class Runner:
    """A process that answers questions, for a `with` statement; at the end it is stopped, with all that it started."""

    def __init__(self):
        self.process, self.folder, self.nonce = None, None, ""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def ask(self, function, *given, work=WORK, timeout=TIMEOUT):
        """Call `function`, "module:name", there and return its result, as plain data. Raise Ended without an answer."""
        try:
            if self.process is None:
                self.start()
            self.send({"function": function, "given": given, "work": work})
            line = self.received(timeout)
        except OSError as fault:
            self.stop()
            raise Ended(f"no process could be had to try it in ({fault.strerror or fault})") from None
        if line and line.startswith(self.nonce) and line.endswith("\n"):
            with contextlib.suppress(ValueError):
                return json.loads(line[len(self.nonce) :])
        why = self.why(line, work, timeout)
        self.stop()
        raise Ended(why)

    def start(self):
        """Begin the process. The nonce identifies answers: the process reads it before any learner's code runs."""
        self.folder, self.nonce = tempfile.TemporaryDirectory(ignore_cleanup_errors=True), secrets.token_hex(16)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "exercises.sandbox.runner"],
            env=child_environment(self.folder.name),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,  # together with all that a learner's code starts
        )
        self.send(self.nonce)

    def send(self, data):
        self.process.stdin.write(json.dumps(data) + "\n")
        self.process.stdin.flush()

    def received(self, timeout):
        """Return the line that the process answers with; None if it does not come in time."""
        lines, process = [], self.process
        reading = threading.Thread(target=lambda: lines.append(process.stdout.readline(LONGEST)), daemon=True)
        reading.start()
        reading.join(timeout)
        return lines[0] if lines else None

    def why(self, line, work, timeout):
        if line is None:
            return f"it had not ended after {timeout:g} seconds, so it was stopped"
        with contextlib.suppress(subprocess.TimeoutExpired):
            if self.process.wait(1) == -getattr(signal, "SIGXCPU", 0):
                return f"it had not ended after {work:g} seconds of work, so it was stopped"
        return "it ended Python itself, or broke it"

    def stop(self):
        """End the process and all that it has started."""
        if self.process is not None:
            stop_process(self.process)
            self.process = None
            self.folder.cleanup()


def child_environment(folder):
    """Return the environment of such a process: new folders in place of the learner's, and no windows."""
    where = {name: folder for name in ("BACKPROP_DATA_DIR", "BACKPROP_ENGINE_DIR", "IPYTHONDIR", "MPLCONFIGDIR")}
    course = str(Path(__file__).parents[2])
    path = os.pathsep.join(filter(None, [course, os.environ.get("PYTHONPATH")]))
    return {**os.environ, **where, "MPLBACKEND": "agg", "PYTHONUTF8": "1", "PYTHONPATH": path}


def stop_process(process):
    """End a process, and on Linux and macOS whatever it has started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, 9)
        else:
            process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            pipe.close()


# In the separate process


def serve():
    """Answer questions until there are no more. A learner's code sees neither them nor where the answers go."""
    questions, answers = (os.fdopen(os.dup(i), mode, encoding="utf-8") for i, mode in ((0, "r"), (1, "w")))
    for i, mode in ((0, os.O_RDONLY), (1, os.O_WRONLY)):
        os.dup2(os.open(os.devnull, mode), i)
    nonce = json.loads(questions.readline())
    limited = False
    while question := questions.readline():
        question = json.loads(question)
        function = pkgutil.resolve_name(question["function"])
        if not limited:  # after the import, which may begin threads and takes memory
            limit_resources()
            limited = True
        limit_work(question["work"])
        answers.write(f"{nonce}{json.dumps(function(*question['given']))}\n")
        answers.flush()


def limit_resources():
    """Prevent the start and end of other processes from now on, and limit memory and files if possible."""

    def refuse(event, _):
        if event in REFUSED:
            raise PermissionError(f"a part of the engine starts and ends no processes ({event})")

    with contextlib.suppress(ImportError):
        import resource

        limits = {
            "RLIMIT_AS": memory_in_use() + MEMORY_LIMIT,
            "RLIMIT_FSIZE": FILE_LIMIT,
            "RLIMIT_NPROC": 0,
            "RLIMIT_CORE": 0,
        }
        for name, most in limits.items():
            with contextlib.suppress(AttributeError, ValueError, OSError):  # not every system has all of them
                resource.setrlimit(getattr(resource, name), (most, most))
    sys.addaudithook(refuse)


def memory_in_use():
    """Return the bytes of address space of this process; half a gigabyte if the system does not report it."""
    with contextlib.suppress(OSError, ValueError):
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * os.sysconf("SC_PAGE_SIZE")
    return 2**29


def limit_work(seconds):
    """Let the system end this process after so many more seconds of CPU time."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        used = resource.getrusage(resource.RUSAGE_SELF)
        most = resource.getrlimit(resource.RLIMIT_CPU)[1]
        resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime + seconds) + 1, most))


if __name__ == "__main__":
    serve()
    os._exit(0)  # despite threads that the learner's code left behind
