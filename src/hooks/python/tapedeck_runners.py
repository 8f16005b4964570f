"""Which test runs: unittest's test cases here, pytest's in tapedeck_pytest, which only pytest itself imports.

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


def _unittest_case(module):
    def make(original):
        def run(self, result=None):
            if (running() or {}).get("runner") == "pytest":
                return original(self, result)  # pytest runs this case, and its id is the better name
            cls, method = type(self), self._testMethodName
            who = {"runner": "unittest", "phase": "test", "name": _titles(cls, method), "id": self.id()}
            who.update(file=_file_of(cls), x=new_execution())
            state = begin(who)
            try:
                return original(self, result)
            finally:
                end(state)

        return run

    wrap(module.TestCase, "run", make)


def _unittest_suite(module):
    def make(original):
        def _handleClassSetUp(self, test, result):
            cls = type(test)
            who = {"runner": "unittest", "phase": "hook", "name": _titles(cls)}
            who.update(file=_file_of(cls), x=new_execution())
            state = begin(who)
            try:
                return original(self, test, result)
            finally:
                end(state)

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


HOOKS = {"unittest.case": _unittest_case, "unittest.suite": _unittest_suite, "_pytest.config": _pytest}
