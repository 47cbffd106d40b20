"""Runs a module in a process that ends with all that it has started, within limits of time, memory and processes.

On Linux, if the system grants it, the process has its own process ids, so it can name or end nothing else, and all of
them end together; and it can write in its own folder only. Elsewhere on Linux, all that it has started is searched for
and ended; on macOS its process group; on Windows the process itself. `run` begins a supervisor, and this begins the
process that it watches.
"""

import contextlib
import ctypes
import json
import os
import re
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass

from exercises.sandbox.runner import child_environment, stop_process

TIME, MEMORY, PROCESSES, EXIT = "time", "memory", "processes", "exit"  # why a process was ended, or that it exited
MEMORY_LIMIT = 2 * 2**30  # of memory in addition to the course's, for a process and for all that it has started
PROCESS_LIMIT = 60  # processes that it may have at once
OUTPUT_LIMIT = 2**25  # bytes of its output that are kept, the last ones
FILE_LIMIT = 256 * 2**20  # bytes of a file that it may write
POLL_INTERVAL = 0.1  # seconds between two checks
GRACE_SECONDS = 10.0  # seconds that a supervisor may take after the limit
MARK_VARIABLE = "BACKPROP_RUN"  # an environment variable that identifies processes that have got away
CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNS = 0x10000000, 0x20000000, 0x20000  # <linux/sched.h>
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER, PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS = 1, 36, 4, 38  # <sys/prctl.h>
MS_BIND, MS_REC, MS_PRIVATE, AT_RECURSIVE = 4096, 16384, 2**18, 0x8000  # <sys/mount.h>
MOUNT_SETATTR = 442  # the number of that Linux call, on every architecture


@dataclass(frozen=True)
class Ended:
    """The output of a process, and how it ended: why "" if it ran to its end, or TIME, MEMORY, PROCESSES, EXIT.

    code: the exit code; below 0 the number of a signal. apart: whether it was isolated, so that it could end nothing
    else, and write in its own folder only.
    """

    written: bytes
    why: str = ""
    code: int = 0
    apart: bool = False


def run(module, given, seconds, memory=MEMORY_LIMIT, apart=True):
    """Run `python -m module` with these bytes as its input; return its Ended once all of it has ended.

    apart: whether it gets its own process ids, if the system grants them.
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        mark = secrets.token_hex(16)
        limits = [str(seconds), str(memory), str(int(apart))]
        inside = [module] if sys.platform == "win32" else ["exercises.sandbox.supervisor", module, *limits]
        process = subprocess.Popen(
            [sys.executable, "-m", *inside],
            cwd=folder,
            env=child_environment(folder) | {MARK_VARIABLE: mark, "TMPDIR": folder},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if len(inside) > 1 else subprocess.DEVNULL,
            start_new_session=True,
        )
        found, late = {}, False
        works = [(read_pipe, process.stdout, found, "out"), (read_pipe, process.stderr, found, "said")][: len(inside)]
        reading = [threading.Thread(target=work, args=args, daemon=True) for work, *args in works]
        for thread in (threading.Thread(target=write_pipe, args=(process.stdin, given), daemon=True), *reading):
            thread.start()
        try:
            process.wait(seconds + GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            late = True
        finally:
            while left := marked_processes(mark):
                for number in left:
                    kill_process(number)
                process.poll()
                time.sleep(0.01)
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL) if hasattr(os, "killpg") else process.kill()
            process.wait()
            for thread in reading:
                thread.join(GRACE_SECONDS)
            stop_process(process)
    written = bytes(found.get("out", b""))
    told = re.fullmatch(rb"(time|memory|processes|exit)? ?(-?\d+)( apart)?\n", bytes(found.get("said", b"")))
    if late:
        return Ended(written, TIME)
    if told:
        return Ended(written, (told[1] or b"").decode(), int(told[2]), bool(told[3]))
    return Ended(written, EXIT if process.returncode else "", process.returncode)  # the supervisor itself was killed


def write_pipe(pipe, given):
    """Write bytes into a pipe, which may be closed."""
    with contextlib.suppress(OSError, ValueError):
        pipe.write(given)
        pipe.close()


def read_pipe(pipe, found, name):
    """Read a pipe to its end into `found`; if it has more than OUTPUT_LIMIT bytes, keep the last ones."""
    kept = found[name] = bytearray()
    with contextlib.suppress(OSError, ValueError):
        while some := os.read(pipe.fileno(), 65536):
            kept += some
            if len(kept) > 2 * OUTPUT_LIMIT:
                del kept[:-OUTPUT_LIMIT]


def kill_process(number):
    """End a process, if it exists."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(number, signal.SIGKILL)


def marked_processes(mark):
    """Return the ids of all processes with this mark, except this one; [] if the system does not list them."""
    found = []
    for number in process_ids():
        with contextlib.suppress(OSError), open(f"/proc/{number}/environ", "rb") as file:
            if f"{MARK_VARIABLE}={mark}".encode() in file.read().split(b"\0"):  # empty, if it has ended
                found.append(number)
    return found


def process_ids():
    """Return the ids of all processes except this one; [] if the system does not list them."""
    with contextlib.suppress(OSError):
        return [int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) != os.getpid()]
    return []


# In the supervisor's process


def supervise(module, seconds, memory, apart):
    """Begin the process, wait for its end or end it with all that it has started, and report how it ended."""
    begun = time.monotonic()
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    prctl(PR_SET_DUMPABLE, 0)
    is_apart = apart and unshare_namespaces()
    reading, writing = os.pipe()
    if not (first := os.fork()):
        os.close(reading)
        run_init(module, writing, is_apart)
    os.close(writing)
    why, code = "", None
    while code is None:
        number, status = os.waitpid(first, os.WNOHANG)
        if number:
            code = os.waitstatus_to_exitcode(status)
            break
        if why := TIME if time.monotonic() - begun > seconds else exceeded_limit(memory):
            break
        time.sleep(POLL_INTERVAL)
    kill_process(first)
    kill_descendants()
    told = os.read(reading, 100)
    if not why:
        code = int(told) if re.fullmatch(rb"-?\d+", told) else code or -signal.SIGKILL
        why = EXIT if code else ""
    os.write(2, f"{why} {code or 0}{' apart' * is_apart}\n".encode())


def run_init(module, writing, is_apart):
    """Run the first process of the isolated group: its only child runs the module, and it reaps all that ends there."""
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if not (child := os.fork()):
        os.close(writing)
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if sys.platform.startswith("linux"):  # elsewhere the process group is ended
            os.setsid()
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        if is_apart:
            make_read_only()
        with contextlib.suppress(OSError):
            os.execv(sys.executable, [sys.executable, "-m", module])
        os._exit(1)
    for stream in (0, 1, 2):
        os.close(stream)
    while True:
        try:
            number, status = os.wait()
        except ChildProcessError:
            os._exit(1)
        if number == child:
            os.write(writing, str(os.waitstatus_to_exitcode(status)).encode())
            os._exit(0)


def unshare_namespaces():
    """Unshare process ids and mounts for the next process that this one begins; return whether that worked."""
    unshare = getattr(ctypes.CDLL(None), "unshare", None) if sys.platform.startswith("linux") else None
    user, group = os.getuid(), os.getgid()
    if unshare is None:
        return False
    if unshare(CLONE_NEWPID | CLONE_NEWNS) == 0:
        return True
    if unshare(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS):
        return False
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        with contextlib.suppress(OSError), open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(text)
    return True


def make_read_only():
    """Make everything but the own folder read-only for this process, and drop the rights to undo that."""
    libc, here = ctypes.CDLL(None), os.fsencode(os.getcwd())
    libc.mount(b"none", b"/", None, ctypes.c_ulong(MS_REC | MS_PRIVATE), None)
    libc.mount(here, here, None, ctypes.c_ulong(MS_BIND), None)
    for place, depth, to_set, to_clear in ((b"/", AT_RECURSIVE, 1, 0), (here, 0, 0, 1)):  # 1: read only
        wanted = (ctypes.c_uint64 * 4)(to_set, to_clear, 0, 0)
        libc.syscall(MOUNT_SETATTR, -100, place, depth, wanted, ctypes.sizeof(wanted))
    os.chdir(here)
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    libc.capset((ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)())


def prctl(what, value):
    """Call Linux's prctl for this process."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(what, ctypes.c_ulong(int(value)), 0, 0, 0)


def descendants():
    """Return {id: the parent's} of all processes that this one has begun, and their descendants."""
    parents = {}
    for number in process_ids():
        with contextlib.suppress(OSError, ValueError, IndexError):
            with open(f"/proc/{number}/stat", encoding="utf-8", errors="replace") as file:
                state, parent = file.read().rpartition(")")[2].split()[:2]
            if state != "Z":
                parents[number] = int(parent)
    found, added = {}, {os.getpid()}
    while added:
        added = {number for number, parent in parents.items() if parent in added and number not in found}
        found |= {number: parents[number] for number in added}
    return found


def exceeded_limit(memory):
    """Return the limit that all these processes together exceed; "" if none."""
    everyone = descendants()
    if len(everyone) > PROCESS_LIMIT:
        return PROCESSES
    size = 0
    for number in everyone:
        with contextlib.suppress(OSError), open(f"/proc/{number}/status", encoding="utf-8", errors="replace") as file:
            size += 1024 * sum(map(int, re.findall(r"^Rss(?:Anon|Shmem):\s+(\d+) kB$", file.read(), re.MULTILINE)))
    return MEMORY if size > memory + 2**28 else ""


def kill_descendants():
    """End all that is left of what this process has begun; orphans have become its own children."""
    for _ in range(200):
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if not (left := descendants()):
            return
        for number in left:
            kill_process(number)
        time.sleep(0.01)


# In the process that is watched


def begin_child():
    """Return (the data handed to this process, a function that writes a line of data).

    Anything printed from now on is discarded.
    """
    with os.fdopen(os.dup(0), "rb") as file:
        given = json.loads(file.read())
    sys.argv = ["handed_in"]
    out = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="replace")
    for number, mode in ((0, os.O_RDONLY), (1, os.O_WRONLY), (2, os.O_WRONLY)):
        os.dup2(os.open(os.devnull, mode), number)

    def tell(data):
        out.write(json.dumps(data) + "\n")
        out.flush()

    return given, tell


def limit_resources(memory=MEMORY_LIMIT):
    """Limit memory and files from now on, if the system can."""
    with contextlib.suppress(ImportError):
        import resource

        held = 2**29
        with contextlib.suppress(OSError, ValueError), open("/proc/self/statm", encoding="ascii") as file:
            held = int(file.read().split()[5]) * os.sysconf("SC_PAGE_SIZE")
        for name, most in {"RLIMIT_DATA": held + memory, "RLIMIT_FSIZE": FILE_LIMIT, "RLIMIT_CORE": 0}.items():
            with contextlib.suppress(AttributeError, ValueError, OSError):  # not every system has each
                resource.setrlimit(getattr(resource, name), (most, most))


if __name__ == "__main__":
    supervise(sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), bool(int(sys.argv[4])))
    os._exit(0)
