"""Tells which test pytest runs, and which phase of it. Apart from the rest, so that no other process imports pytest.

PYTEST_DONT_REWRITE
"""

import os

import pytest
import tapedeck_attribution

_executions = {}


def _describe(item, phase):
    line = item.location[1]  # 0-based, None for doctests
    titles = [node.name for node in item.listchain() if isinstance(node, (pytest.Class, pytest.Item))]
    who = {"runner": "pytest", "phase": phase, "name": titles, "id": item.nodeid, "x": _executions.get(item.nodeid)}
    who["file"] = os.path.realpath(str(getattr(item, "path", None) or item.fspath))
    who["line"] = None if line is None else line + 1
    return who


def _around(phase, is_setup=False, is_teardown=False):
    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def hook(item):
        state = None
        try:
            if is_setup:  # comes again for each run of the test
                _executions[item.nodeid] = tapedeck_attribution.new_execution()
            state = tapedeck_attribution.begin(_describe(item, phase))
        except Exception:
            pass
        yield
        while is_teardown and tapedeck_attribution.at_test_end:
            tapedeck_attribution.quietly(tapedeck_attribution.at_test_end.pop())
        if state is not None:
            tapedeck_attribution.end(state)

    return hook


pytest_runtest_setup = _around("hook", is_setup=True)
pytest_runtest_call = _around("test")
pytest_runtest_teardown = _around("hook", is_teardown=True)
