"""The pytest plugin: reports which test runs. In a separate file, so that no other process imports pytest.

PYTEST_DONT_REWRITE
"""

import os

import pytest
import tapedeck_running
from tapedeck_hooks import quietly

_tests = {}  # what calls report of a test, from its setup to its teardown


def _describe(item):
    line = item.location[1]  # 0-based, None for doctests
    return {
        "runner": "pytest",
        "name": [node.name for node in item.listchain() if isinstance(node, (pytest.Class, pytest.Item))],
        "id": item.nodeid,
        "x": tapedeck_running.new_execution(),
        "file": os.path.realpath(str(getattr(item, "path", None) or item.fspath)),
        "line": None if line is None else line + 1,
    }


def _around(is_setup=False, is_teardown=False):
    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def hook(item):
        state = None
        try:
            if is_setup:  # called again for each run of the test
                _tests[item.nodeid] = _describe(item)
            state = tapedeck_running.begin(_tests[item.nodeid])
        except Exception:
            pass
        yield
        while is_teardown and tapedeck_running.at_test_end:
            quietly(tapedeck_running.at_test_end.pop())
        if is_teardown:
            _tests.pop(item.nodeid, None)
        if state is not None:
            tapedeck_running.end(state)

    return hook


pytest_runtest_setup = _around(is_setup=True)
pytest_runtest_call = _around()
pytest_runtest_teardown = _around(is_teardown=True)
