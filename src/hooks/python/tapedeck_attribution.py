"""Adds one header, x-tapedeck-test, to requests for Tapedeck's replay server: which test makes the call.

  TAPEDECK_URL    http://127.0.0.1:PORT/TOKEN; without it nothing happens
  TAPEDECK_ROOTS  the workspace's folders, os.pathsep between them; the working directory where absent

Only the standard library, and little of it: this runs at the start of every Python process. HTTP libraries and test
runners are hooked when the program imports them, never imported from here. Whatever fails in here is swallowed, because
no test may ever fail of it. PYTEST_DONT_REWRITE
"""

import contextvars
import os
import sys
import time

HEADER = "x-tapedeck-test"
MAX_BYTES = 3072  # of the value; servers limit all headers together

_current = contextvars.ContextVar("tapedeck_test", default=None)
kept = contextvars.ContextVar("tapedeck_kept", default=False)  # whether the test's own cache keeps the answer
at_test_end = []  # called once, after the fixtures of the running test
_newest = None  # the same, for threads and loops that were started outside of our context
_executions = 0
_connection = None  # that told of us
_begun = time.monotonic()


# ---- who: the runner's probes say what runs ----


def begin(who):
    """From here on `who` runs; gives what end() wants back."""
    global _newest
    before, _newest = _newest, who
    if _connection is None:
        _tell_of_tests(who.get("runner"))
    return _current.set(who), before


def end(state):
    global _newest
    token, _newest = state
    try:
        _current.reset(token)
    except (ValueError, RuntimeError):  # ended in another context than begun
        _current.set(None)


def _tell_of_tests(runner):
    """Tells the server once that tests run in this process, and keeps the connection: where it ends, so did the process.

    A bare descriptor, closed by the system: a socket object would be warned of at the end of the process, and tests
    may have put something else in the place of the socket module.
    """
    global _connection
    _connection = -1
    try:
        if trouble() is not None:
            return
        from tapedeck_proof import connected

        connection = connected(_host, _port, 0.2)
        try:
            age = (time.monotonic() - _begun) * 1000
            line = "GET /%s/@tests?runner=%s&age=%d HTTP/1.1" % (TOKEN, runner, age)
            connection.send(("%s\r\nhost: %s:%s\r\n\r\n" % (line, _host, _port)).encode())
        except Exception:
            connection.close()
            return
        _connection = connection.detach()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=_let_go)
    except Exception:
        pass


def _let_go():
    """In a fork: its end is not the end of the process that told."""
    global _connection
    if _connection is not None and _connection >= 0:
        quietly(os.close, _connection)
        _connection = -1


def new_execution():
    """Names one execution of a test: a retry gets another."""
    global _executions
    _executions += 1
    return "%d.%d.%x" % (os.getpid(), _executions, id(_current) & 0xFFFFFF)


def process_execution():
    """The same for what no runner runs: a process is one execution of its script."""
    return "%d.0.%x" % (os.getpid(), id(_current) & 0xFFFFFF)


def running():
    return _current.get() or _newest


# ---- where: the workspace's frames ----

_INSTALLED = tuple(os.sep + name + os.sep for name in ("site-packages", "dist-packages", ".venv"))
_CELL = os.sep + "ipykernel_"  # the folder of files that stand for cells, and are never written
_RUNNERS = tuple(os.sep + name + os.sep for name in ("_pytest", "unittest"))
_HERE = os.path.dirname(os.path.realpath(__file__))
_roots = [
    os.path.join(os.path.realpath(root), "")
    for root in (os.environ.get("TAPEDECK_ROOTS") or os.getcwd()).split(os.pathsep)
    if root
]
# An environment among the workspace's folders; a workspace may lie below an interpreter's prefix ("/usr") as well.
_installed = [
    os.path.join(prefix, "")
    for prefix in {os.path.realpath(sys.prefix), os.path.realpath(sys.base_prefix)}
    if any(prefix.startswith(root) for root in _roots)
]
_workspace_files = {}  # a code object's file name: its real path if it belongs to the workspace, else None


def workspace_file(name):
    if name not in _workspace_files:
        path = None
        if not name.startswith("<") and not any(part in name for part in _INSTALLED + (_CELL,)):
            path = os.path.realpath(name)
            inside = any(path.startswith(root) for root in _roots) and os.path.dirname(path) != _HERE
            path = path if inside and not any(path.startswith(prefix) for prefix in _installed) else None
        _workspace_files[name] = path
    return _workspace_files[name]


def _frames():
    """(file, line) of the workspace's frames, the call's own first."""
    found, frame = [], sys._getframe(1)
    for _ in range(200):
        if frame is None:
            break
        path = workspace_file(frame.f_code.co_filename)
        if path:
            found.append((path, frame.f_lineno))
        elif found and any(part in frame.f_code.co_filename for part in _RUNNERS):
            break  # below stands how the runner came here, e.g. unittest.main() in the same file
        frame = frame.f_back
    return found or _task_frames()


def _task_frames():
    """An await cuts the thread's stack; the running task knows its own."""
    asyncio = sys.modules.get("asyncio")
    try:
        stack = asyncio.current_task().get_stack()
    except Exception:
        return []
    files = [(workspace_file(frame.f_code.co_filename), frame.f_lineno) for frame in reversed(stack)]
    return [(path, line) for path, line in files if path]


def _is_test_file(path):
    name = os.path.basename(path)
    return name.startswith("test_") or name.endswith("_test.py") or name == "conftest.py"


# ---- the header ----


def header():
    """The header's value, or None where nothing is known. Never raises."""
    try:
        return _encoded(_description())
    except Exception:
        return None


def _description():
    stack = _frames()
    who = {key: part for key, part in (running() or {}).items() if part is not None}
    if "file" not in who:
        import tapedeck_script

        file = next((path for path, _ in stack if _is_test_file(path)), None)
        who = dict(tapedeck_script.describe(stack) if file is None else {"file": file, "x": process_execution()}, **who)
    file = who.get("file")
    # The outermost frame in the test's file is the test's body, an inner one may be a helper beside it.
    body = next(((path, line) for path, line in reversed(stack) if path == file), None)
    value = {"v": 1, "runner": who.get("runner"), "file": file, "name": who.get("name"), "phase": who.get("phase")}
    value.update(kept=kept.get() or None, id=who.get("id"), x=who.get("x"), line=body[1] if body else who.get("line"), exact=body is not None)
    if stack and stack[0] != body:
        value["at"] = {"file": stack[0][0], "line": stack[0][1]}
    return {key: part for key, part in value.items() if part is not None}


def _encoded(value):
    if "file" not in value:
        return None
    text = _quoted(value)
    for length in (120, 60, 30, 15):
        if len(text) <= MAX_BYTES:
            return text
        value = {key: part for key, part in value.items() if key not in ("at", "id")}
        value.update(name=[title[:length] for title in value.get("name", [])][-6:], cut=True)
        text = _quoted(value)
    return text if len(text) <= MAX_BYTES else None


def _quoted(value):
    import json
    from urllib.parse import quote

    return quote(json.dumps(value, separators=(",", ":")), safe="!~*'()")


# ---- hooks on import ----

# Read once: a test may clear the environment.
_place, _, TOKEN = os.environ.get("TAPEDECK_URL", "").partition("://")[2].partition("/")
_host, _, _port = _place.partition(":")


def is_ours(host, port):
    return str(port) == _port and host in (_host, "127.0.0.1", "localhost")


def trouble(greets=False):
    """Why no call may be sent to the replay server; None where it may."""
    import tapedeck_proof

    return tapedeck_proof.trouble(_host, _port, TOKEN, greets)


def wrap(owner, name, make):
    """Puts make(original) in the place of a method, once."""
    original = getattr(owner, name)
    if hasattr(original, "__tapedeck__"):
        return
    wrapped = make(original)
    for attribute in ("__name__", "__qualname__", "__doc__", "__module__"):
        setattr(wrapped, attribute, getattr(original, attribute, None))
    wrapped.__wrapped__, wrapped.__tapedeck__ = original, True
    setattr(owner, name, wrapped)


class _AfterImport:
    """Calls a hook right after the real loader has executed a module."""

    def __init__(self, hooks):
        self.hooks = hooks
        self.busy = set()

    def find_spec(self, name, path=None, target=None):
        if name not in self.hooks or name in self.busy:
            return None
        import importlib.util

        self.busy.add(name)
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self.busy.discard(name)
        execute = getattr(getattr(spec, "loader", None), "exec_module", None)
        if execute is None:
            return None

        def exec_module(module):
            execute(module)
            quietly(self.hooks[name], module)

        spec.loader.exec_module = exec_module
        return spec


def quietly(act, *args):
    try:
        act(*args)
    except Exception:
        pass


def _together(*tables):
    """One table of hooks; what several say of a module is done in their order."""
    found = {}
    for table in tables:
        for name, hook in table.items():
            found[name] = _one_after_the_other(found[name], hook) if name in found else hook
    return found


def _one_after_the_other(*hooks):
    def both(module):
        for hook in hooks:
            quietly(hook, module)

    return both


def _install():
    import tapedeck_http
    import tapedeck_clients
    import tapedeck_runners
    import tapedeck_takes

    import tapedeck_guard
    import tapedeck_metagpt

    always = tapedeck_http, tapedeck_clients, tapedeck_runners, tapedeck_takes, tapedeck_metagpt
    hooks = _together(*(module.HOOKS for module in always))
    if tapedeck_guard.SAID:
        import tapedeck_children
        import tapedeck_lookups
        import tapedeck_mocks
        import tapedeck_native
        import tapedeck_sockets
        import tapedeck_streams

        guarding = tapedeck_sockets, tapedeck_lookups, tapedeck_streams, tapedeck_native, tapedeck_mocks
        hooks = _together(hooks, tapedeck_children.HOOKS, *(module.HOOKS for module in guarding))
    for name, hook in hooks.items():
        if name in sys.modules:
            quietly(hook, sys.modules[name])
    sys.meta_path.insert(0, _AfterImport(hooks))


if _port.isdigit() and not hasattr(sys, "_tapedeck"):
    sys._tapedeck = True
    _install()
