"""Which test runs: as unittest and pytest report it; and which notebook a kernel is started for.

PYTEST_DONT_REWRITE
"""

import contextvars
import os
import sys

from tapedeck_hooks import quietly, wrap
from tapedeck_server import report_tests
from tapedeck_values import begin_frozen

_current = contextvars.ContextVar("tapedeck_test", default=None)
is_kept = contextvars.ContextVar("tapedeck_kept", default=False)  # whether the test's own cache keeps the answer
at_test_end = []  # called once, after the fixtures of the running test
_newest = None  # the same test, for threads and loops that were started outside of its context
_executions = 0
_shown = _watched = None  # memory that forked processes share: the number of the running test, of ours and our parent's


def begin(test):
    """Starts a test; returns what end() needs."""
    global _newest
    before, _newest = _newest, test
    quietly(_show, test)
    report_tests(test.get("runner"))
    quietly(begin_frozen, test)
    return _current.set(test), before


def end(state):
    global _newest
    token, _newest = state
    quietly(_show, _newest)
    try:
        _current.reset(token)
    except (ValueError, RuntimeError):  # ended in another context than begun
        _current.set(None)


def running():
    test = _current.get() or _newest
    return test if _watched is None or test is None or _is_running(test) else None


def _show(test):
    """Notes the running test for forked processes, which may outlive it: workers of a pool that several tests use."""
    global _shown
    if _shown is None and hasattr(os, "register_at_fork"):
        import mmap

        _shown = mmap.mmap(-1, 8)
        os.register_at_fork(after_in_child=_watch)
    if _shown is not None:
        _shown[:] = _number(test).to_bytes(8, "little")


def _watch():
    global _shown, _watched
    if _shown is not None:
        _shown, _watched = None, _shown


def _is_running(test):
    is_own = test["x"].startswith("%d." % os.getpid())
    return is_own or _watched[:] == _number(test).to_bytes(8, "little")


def _number(test):
    return 0 if test is None else int(test["x"].split(".")[1])


def new_execution():
    """Names one execution of a test: a retry gets another."""
    global _executions
    _executions += 1
    return "%d.%d.%x" % (os.getpid(), _executions, id(_current) & 0xFFFFFF)


def process_execution():
    """Names the execution of a script, which is this process."""
    return "%d.0.%x" % (os.getpid(), id(_current) & 0xFFFFFF)


# ---- unittest ----


def _file_of(cls):
    file = getattr(sys.modules.get(cls.__module__), "__file__", None)
    return os.path.realpath(file) if file else None


def _during(cls, titles, run, *args, **more):
    """Calls run(*args) as a part of a class's test."""
    name = cls.__qualname__.split(".") + titles
    state = begin(dict(more, runner="unittest", name=name, file=_file_of(cls), x=new_execution()))
    try:
        return run(*args)
    finally:
        end(state)


def hook_unittest_case(module):
    def make(original):
        def run(self, result=None):
            if (running() or {}).get("runner") == "pytest":
                return original(self, result)  # pytest runs this case, and its id is the better name
            return _during(type(self), [self._testMethodName], original, self, result, id=self.id())

        return run

    wrap(module.TestCase, "run", make)


def hook_unittest_suite(module):
    def make(original):
        def _handleClassSetUp(self, test, result):
            return _during(type(test), [], original, self, test, result)

        return _handleClassSetUp

    wrap(module.TestSuite, "_handleClassSetUp", make)


# ---- pytest ----


def hook_pytest(module):
    """Registers our plugin when pytest reads its environment, which works without our PYTHONPATH as well."""

    def make(original):
        def consider_env(self):
            original(self)
            quietly(self.import_plugin, "tapedeck_pytest")

        return consider_env

    wrap(module.PytestPluginManager, "consider_env", make)


# ---- notebooks ----

NOTEBOOK = "TAPEDECK_NOTEBOOK"  # in a kernel's environment: the file of the notebook that it runs


def hook_nbclient(module):
    def make(original):
        def start_new_kernel(self, **named):
            quietly(add_path, self, named)
            return original(self, **named)

        return start_new_kernel

    def add_path(client, named):
        path = _notebook_of(client)
        if path:
            named["env"] = dict(named.get("env") or os.environ, **{NOTEBOOK: path})

    for name in ("start_new_kernel", "async_start_new_kernel"):
        wrap(module.NotebookClient, name, make)


def _notebook_of(client):
    """papermill notes the path; nbconvert the folder and the name; nbmake runs the file as a test of pytest."""
    path = client.nb.metadata.get("papermill", {}).get("input_path")
    if path:
        return os.path.abspath(path)
    where = (client.resources or {}).get("metadata", {})
    name = where.get("name")
    return os.path.join(os.path.abspath(where.get("path") or "."), name + ".ipynb") if name else (running() or {}).get("file")
