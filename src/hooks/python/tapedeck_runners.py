"""Which test runs: unittest's test cases here, pytest's in tapedeck_pytest, which only pytest itself imports. And which
notebook a kernel is started for.

PYTEST_DONT_REWRITE
"""

import os
import sys

from tapedeck_attribution import begin, end, new_execution, quietly, running, wrap


def _file_of(cls):
    file = getattr(sys.modules.get(cls.__module__), "__file__", None)
    return os.path.realpath(file) if file else None


def _titles(cls, *more):
    return cls.__qualname__.split(".") + list(more)


def _during(cls, who, run, *args):
    """Runs something of a class's; until it ends, calls are told as `who`'s."""
    state = begin(dict(who, file=_file_of(cls), x=new_execution()))
    try:
        return run(*args)
    finally:
        end(state)


def _unittest_case(module):
    def make(original):
        def run(self, result=None):
            if (running() or {}).get("runner") == "pytest":
                return original(self, result)  # pytest runs this case, and its id is the better name
            cls, method = type(self), self._testMethodName
            who = {"runner": "unittest", "phase": "test", "name": _titles(cls, method), "id": self.id()}
            return _during(cls, who, original, self, result)

        return run

    wrap(module.TestCase, "run", make)


def _unittest_suite(module):
    def make(original):
        def _handleClassSetUp(self, test, result):
            cls = type(test)
            who = {"runner": "unittest", "phase": "hook", "name": _titles(cls)}
            return _during(cls, who, original, self, test, result)

        return _handleClassSetUp

    wrap(module.TestSuite, "_handleClassSetUp", make)


def _pytest(module):
    """Registers our plugin where pytest reads its environment: a run that lost our PYTHONPATH then still starts."""

    def make(original):
        def consider_env(self):
            original(self)
            quietly(self.import_plugin, "tapedeck_pytest")

        return consider_env

    wrap(module.PytestPluginManager, "consider_env", make)


NOTEBOOK = "TAPEDECK_NOTEBOOK"  # in a kernel's environment: the file of the notebook that it runs


def _nbclient(module):
    def make(original):
        def start_new_kernel(self, **named):
            quietly(tell, self, named)
            return original(self, **named)

        return start_new_kernel

    def tell(client, named):
        path = _notebook_of(client)
        if path:
            named["env"] = dict(named.get("env") or os.environ, **{NOTEBOOK: path})

    for name in ("start_new_kernel", "async_start_new_kernel"):
        wrap(module.NotebookClient, name, make)


def _notebook_of(client):
    """nbconvert tells the folder and the name, papermill notes the path."""
    path = client.nb.metadata.get("papermill", {}).get("input_path")
    if path:
        return os.path.abspath(path)
    where = (client.resources or {}).get("metadata", {})
    name = where.get("name")
    return os.path.join(os.path.abspath(where.get("path") or "."), name + ".ipynb") if name else None


HOOKS = {"unittest.case": _unittest_case, "unittest.suite": _unittest_suite, "_pytest.config": _pytest, "nbclient.client": _nbclient}
