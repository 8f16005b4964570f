"""Keeps the hooks in programs that a process starts with its own environment; see javascript/children.cjs.

PYTEST_DONT_REWRITE
"""

import os
import sys

import tapedeck_guard as guard
from tapedeck_hooks import ENVIRONMENT, quietly, wrap

_NAMES = ("TAPEDECK_URL", "TAPEDECK_ROOTS", "TAPEDECK_GUARD")
_PRELOAD = "/tapedeck-preload.cjs"
_HERE = os.path.dirname(os.path.realpath(__file__))
_kept = {name: ENVIRONMENT[name] for name in _NAMES + ("NODE_OPTIONS", "PYTHONPATH") if name in ENVIRONMENT}


def _with_hooks(env):
    """Returns the environment of a new process: `env` itself if it has the hooks already, or must not have them."""
    given = os.environ if env is None else env
    blocked = _network_variables(given)
    if blocked:
        given = env = dict(given, **blocked)
    if guard.is_paused or given.get("TAPEDECK_GUARD") == "off" or any(not isinstance(name, str) for name in given):
        return env
    added = {} if given.get("TAPEDECK_URL") else {name: _kept[name] for name in _NAMES if name in _kept}
    added.update(_started_by())
    paths = [path for path in str(given.get("PYTHONPATH", "")).split(os.pathsep) if path]
    ours = [path for path in _kept.get("PYTHONPATH", "").split(os.pathsep) if path and os.path.realpath(path) == _HERE]
    if ours and not any(os.path.realpath(path) == _HERE for path in paths):
        added["PYTHONPATH"] = os.pathsep.join(ours + paths)
    options = str(given.get("NODE_OPTIONS", ""))
    if _PRELOAD_OPTION and _PRELOAD not in options:
        added["NODE_OPTIONS"] = (options + " " + _PRELOAD_OPTION).strip()
    return dict(given, **added) if added else env


def _network_variables(given):
    network = sys.modules.get("tapedeck_network")
    return network.variables(given) if network else {}


def _started_by():
    running = sys.modules.get("tapedeck_running")
    file = ((running and running.running()) or {}).get("file")
    return {"TAPEDECK_STARTED_BY": file} if file else {}


def _preload():
    """What loads the hooks of Node, of all its options."""
    before, found, after = _kept.get("NODE_OPTIONS", "").partition(_PRELOAD)
    start = before.rfind("--require=")
    return before[start:] + found + after[: after.startswith('"')] if found and start >= 0 else ""


_PRELOAD_OPTION = _preload()


def start(original, index, args, named):
    """Calls a function that starts a program, with the hooks in its environment: its argument at `index`, or `env`."""
    quietly(_complete, index, args, named)
    values = sys.modules.get("tapedeck_values")
    if values:
        values.report_to_run()
    if len(args) > index and "env" in named:
        args, named = args[:index] + (named["env"],) + args[index + 1 :], dict(named)
        del named["env"]
    return original(*args, **named)


def _complete(index, args, named):
    env = _with_hooks(named.get("env", args[index] if len(args) > index else None))
    if env is not None:
        named["env"] = env


def hook_subprocess(module):
    def make(original):
        def __init__(*args, **named):
            return start(original, 11, args, named)

        return __init__

    wrap(module.Popen, "__init__", make)
