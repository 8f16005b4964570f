"""Runs at the start of every Python whose PYTHONPATH begins with this folder.

Being first it hides any other sitecustomize (the system's, coverage's, the user's), so that one is run afterwards and
left in its place. Without TAPEDECK_URL that is all that happens. PYTEST_DONT_REWRITE
"""

import os
import sys

_HERE = os.path.dirname(os.path.realpath(__file__))


def _same_folder(path, folder):
    return os.path.realpath(path or os.getcwd()) == folder


def _drop_blanks():
    """A variable that was put together of an unset one has empty entries: the working directory, for every Python."""
    paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    named = [path for path in paths if path]
    if len(named) == len(paths) or not any(_same_folder(path, _HERE) for path in named):
        return
    os.environ["PYTHONPATH"] = os.pathsep.join(named)
    here = os.path.realpath(os.getcwd())
    if not any(_same_folder(path, here) for path in named):
        sys.path[:] = [path for path in sys.path if not _same_folder(path, here)]


def _keep_off_proxies():
    """As javascript/start.cjs: a shell's start-up file may set NO_PROXY after the editor did."""
    names = ("NO_PROXY",) if os.name == "nt" else ("NO_PROXY", "no_proxy")
    own = [os.environ.get(name, "").strip() for name in names]
    for index, name in enumerate(names):
        hosts = [host.strip() for host in (own[index] or own[1 - index if own[1:] else 0]).split(",")]
        hosts = [host for host in hosts if host]
        if hosts != ["*"]:
            hosts += [host for host in ("127.0.0.1", "localhost", "::1") if host not in hosts]
        os.environ[name] = ",".join(hosts)


def _run_hidden():
    ran = getattr(sys, "_tapedeck_folders", None) or set()
    ran.add(_HERE)  # two versions of this file would call each other for ever
    sys._tapedeck_folders = ran
    rest = [path for path in sys.path if os.path.realpath(path or os.getcwd()) not in ran]
    # Importing importlib.machinery takes longer than all of this file.
    finder = next((one for one in sys.meta_path if getattr(one, "__name__", "") == "PathFinder"), None)
    spec = finder and finder.find_spec("sitecustomize", rest)
    if spec is None or spec.loader is None:
        return
    import importlib.util

    module = importlib.util.module_from_spec(spec)
    sys.modules["sitecustomize"] = module  # what an import would have given
    spec.loader.exec_module(module)


if os.environ.get("TAPEDECK_FOLDERS"):
    try:
        from tapedeck_folders import move_to_folder

        move_to_folder(os.environ, os.getcwd(), os.environ["TAPEDECK_FOLDERS"])
    except Exception:
        pass

if os.environ.get("TAPEDECK_URL"):
    try:
        _drop_blanks()
        _keep_off_proxies()
        import tapedeck_hooks  # noqa: F401
    except Exception:
        pass

if os.environ.get("TAPEDECK_BLOCKED"):
    try:
        import tapedeck_network

        tapedeck_network.begin_as_parent(os.environ)
    except Exception:
        pass

_run_hidden()
