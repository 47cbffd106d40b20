"""Shared by all tests: with BACKPROP_NO_SKIPS set, as in CI, a skipped test fails."""

import gc
import os
import sys
import tempfile
from pathlib import Path

import pytest

from tests import lab_server, sampling
from tests.approve import Approving

os.environ["BACKPROP_DATA_DIR"] = tempfile.mkdtemp()  # never a learner's own progress, here and in kernels
os.environ["BACKPROP_ENGINE_DIR"] = tempfile.mkdtemp()  # nor a learner's own engine
os.environ["PYTHONUTF8"] = "1"  # what child processes print is read as UTF-8, on Windows too

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # in kernels; with several workers threads wait for each other
os.environ.setdefault("BACKPROP_TEST_RUNS", tempfile.mkdtemp())  # executed notebooks, one place for all workers
sys.modules.setdefault("rfc3987_syntax", None)  # jsonschema's check of addresses that no notebook has: seconds a worker
gc.set_threshold(100_000, 50, 100)  # and see `apart`: a worker holds a million objects
NO_SKIPS = bool(os.environ.get("BACKPROP_NO_SKIPS"))
PASSED = Path(os.environ["BACKPROP_PASSED"]) if os.environ.get("BACKPROP_PASSED") else None  # a file: see .ci/run


SLOW = (  # whole lessons, long trainings, thousands of wrong answers
    *("test_any_order", "test_whole_course", "test_numbers"),
    *("test_contract", "test_mutants", "test_new", "test_slips"),
    *("test_report", "test_nbgrader", "test_readme"),  # learners' files run again
    *("test_other_autograd", "test_laid_out"),  # new environments
    *("test_keeping", "test_keeping_forms", "test_deep_nets", "test_seeds", "test_borders"),
    *("test_browser_book", "test_site_page"),  # newly built sites
)


def pytest_addoption(parser):
    group = parser.getgroup("long tables")
    group.addoption("--all", action="store_true", help="try every case of every table, in place of a sample")
    group.addoption("--approve", action="store_true", help="write the texts of tests/approved as they are said now")
    group.addoption("--seed", help="which sample of the long tables: by default the commit's hash")


def pytest_configure(config):
    sampling.Drawing.begin(config.getoption("--seed"), config.getoption("--all") or config.getoption("keyword"))
    Approving.now = config.getoption("--approve")


def refused(report):
    if NO_SKIPS and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"{report.nodeid} was skipped where nothing may be: {report.longrepr}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    return refused((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    return refused((yield))


def pytest_collection_modifyitems(config, items):
    items[:], left_out = sampling.sampled(items)
    config.hook.pytest_deselected(items=left_out)
    if PASSED and PASSED.exists():
        done = set(PASSED.read_text(encoding="utf-8").splitlines())
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid in done])
        items[:] = [item for item in items if item.nodeid not in done]
    for item in items:
        if item.path.stem.startswith("test_browser"):
            item.add_marker("browser")
        if item.path.stem in SLOW:
            item.add_marker("slow")
    items.sort(key=begins)


def pytest_terminal_summary(terminalreporter):
    """Report what was left out; the first run of two also lists what has passed, for the second to leave out.

    A worker has no reports, and ends before its controller: its list would be empty, and come first.
    """
    terminalreporter.write_line(sampling.Drawing.line())
    if PASSED and not PASSED.exists() and not hasattr(terminalreporter.config, "workerinput"):
        passed = sorted({report.nodeid for report in terminalreporter.stats.get("passed", ())})
        PASSED.write_text("\n".join(passed), encoding="utf-8")


def begins(item):
    """Return a sort key: files that take long come first, so that at the end no worker waits for another."""
    name = item.path.stem
    return 0 if name in SLOW else 1 if name.startswith(("test_browser", "test_notebooks", "test_lesson")) else 2


def pytest_sessionfinish():
    lab_server.close()


@pytest.fixture(scope="module", autouse=True)
def apart():
    """Freeze what exists before a module's tests, so that `gc.collect()` does not search it each time."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def torch():
    """Return PyTorch on one thread; skip a test that asks for it if it is not installed."""
    module = pytest.importorskip(
        "torch", reason='PyTorch is not installed. To compare with it: pip install -e ".[torch]"'
    )
    module.set_num_threads(1)
    return module


@pytest.fixture(scope="module")
def browser():
    """Yield a Chromium; a module that asks for it has skipped itself if there is none."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as running:
        chromium = running.chromium.launch(executable_path=lab_server.CHROMIUM, args=lab_server.CHROMIUM_FLAGS)
        yield chromium
        chromium.close()
