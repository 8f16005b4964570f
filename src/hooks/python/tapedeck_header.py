"""The header x-tapedeck-test: the test that makes a call, its place, and its position among calls made at once.

  TAPEDECK_ROOTS  the workspace's folders, os.pathsep between them; the working directory where absent

PYTEST_DONT_REWRITE
"""

import _thread
import contextvars
import functools
import itertools
import json
import os
import re
import sys
from urllib.parse import quote

from tapedeck_hooks import ENVIRONMENT, FOLDER, quietly
from tapedeck_values import report
from tapedeck_running import NOTEBOOK, is_kept, process_execution, running

_MAX_BYTES = 3072  # of the value; servers limit all headers together
_PLACE_BYTES = 64  # kept free for the line and the position

# ---- which frames are the workspace's ----

_INSTALLED = tuple(os.sep + name + os.sep for name in ("site-packages", "dist-packages", ".venv"))
_CELL = os.sep + "ipykernel_"  # the folder of files that stand for cells, and are never written
_RUNNERS = tuple(os.sep + name + os.sep for name in ("_pytest", "unittest"))
_HERE = os.path.dirname(os.path.realpath(__file__))
ROOTS = [
    os.path.join(os.path.realpath(root), "")
    for root in (ENVIRONMENT.get("TAPEDECK_ROOTS") or FOLDER).split(os.pathsep)
    if root
]
# An environment inside the workspace's folders; a workspace may be below an interpreter's prefix ("/usr") as well.
_installed = [
    os.path.join(prefix, "")
    for prefix in {os.path.realpath(sys.prefix), os.path.realpath(sys.base_prefix)}
    if any(prefix.startswith(root) for root in ROOTS)
]
_workspace_files = {}  # a code object's file name: its real path if it belongs to the workspace, else None


def _workspace_file(name):
    if name not in _workspace_files:
        path = None
        if not name.startswith("<") and not any(part in name for part in _INSTALLED + (_CELL,)):
            path = os.path.realpath(name)
            inside = any(path.startswith(root) for root in ROOTS) and os.path.dirname(path) != _HERE
            path = path if inside and not any(path.startswith(prefix) for prefix in _installed) else None
        _workspace_files[name] = path
    return _workspace_files[name]


def _frames():
    """(file, line) of the workspace's frames, the call's own first. Takes 4 µs in a test of pytest."""
    found, frame = [], sys._getframe(1)
    for _ in range(200):
        if frame is None:
            break
        path = _workspace_file(frame.f_code.co_filename)
        if path:
            found.append((path, frame.f_lineno))
        elif found and any(part in frame.f_code.co_filename for part in _RUNNERS):
            break  # the frames below lead to the runner, e.g. unittest.main() in the same file
        frame = frame.f_back
    return found or _task_frames()


def _task_frames():
    """An await cuts the thread's stack; the running task has its own."""
    try:
        stack = sys.modules["asyncio"].current_task().get_stack()
    except Exception:
        return []
    files = [(_workspace_file(frame.f_code.co_filename), frame.f_lineno) for frame in reversed(stack)]
    return [(path, line) for path, line in files if path]


# ---- the header ----

_latest = None, ""  # a test and its encoded identity: the calls of a test differ in their places only


def call_header():
    """The header of the call that is being made."""
    position = _position.get()
    return (test_header() or "") + report() + ("" if position is None else position[1])


def test_header():
    """The header without a position; None if nothing is known. Never raises."""
    try:
        return _describe(_frames())
    except Exception:
        return None


def _describe(frames):
    global _latest
    test = running()
    if test is None or test.get("file") is None:
        test = dict(_describe_script(frames), **{key: part for key, part in (test or {}).items() if part is not None})
    known, text = _latest
    if known is not test:
        text = _encode(test)
        _latest = test, text
    if not text:
        return None
    file = test["file"]
    # The outermost frame in the test's file is the test's body, an inner one may be a helper beside it.
    body = next((frame for frame in reversed(frames) if frame[0] == file), None)
    line = body[1] if body else test.get("line")
    text += "%2C%22line%22%3A{}".format(line) if line else ""
    text += "%2C%22exact%22%3Atrue" if body else ""
    text += "%2C%22kept%22%3Atrue" if is_kept.get() else ""
    if frames and frames[0] != body:
        at = "%2C%22at%22%3A%7B%22file%22%3A{}%2C%22line%22%3A{}%7D".format(_quote_file(frames[0][0]), frames[0][1])
        text += at if len(text) + len(at) <= _MAX_BYTES else ""
    return text + "%7D"


def _encode(test):
    """The parts that all calls of a test have in common, without the brace at the end; "" if they are too long."""
    if test.get("file") is None:
        return ""
    value = {"v": 1, **{key: test[key] for key in ("runner", "file", "name", "id", "x") if test.get(key) is not None}}
    text = _quote(value)
    for length in (120, 60, 30, 15):
        if len(text) <= _MAX_BYTES - _PLACE_BYTES:
            break
        value.pop("id", None)
        value["name"] = [title[:length] for title in value.get("name", [])][-6:]
        text = _quote(value)
    return text[: -len("%7D")] if len(text) <= _MAX_BYTES - _PLACE_BYTES else ""


@functools.lru_cache(64)
def _quote_file(path):
    return _quote(path)


def _quote(value):
    return quote(json.dumps(value, separators=(",", ":")), safe="!~*'()")


# ---- calls that no test makes: a script, or a cell of a notebook ----

_LARGEST = 64 * 1024 * 1024  # bytes of a notebook that is searched for its cells
_titles = {}  # an execution of a cell: its title


def _describe_script(frames):
    test_file = next((path for path, _ in frames if _is_test_file(path)), None)
    if test_file is not None:
        return {"file": test_file, "x": process_execution()}
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if hasattr(ipython, "get_ipython") else None
    if shell is not None:
        return _describe_cell(shell)
    main = getattr(sys.modules.get("__main__"), "__file__", None)
    file = _workspace_file(main) if main else None
    if file is None and frames:
        file = frames[-1][0]
    if file is None and main is None:
        file = _no_file("python")
    return {"file": file, "x": process_execution()}


def _is_test_file(path):
    name = os.path.basename(path)
    return name.startswith("test_") or name.endswith("_test.py") or name == "conftest.py"


def _no_file(program):
    """Stands for code without a file: a prompt, `python -c`, standard input. No file has such a name."""
    return os.path.join(os.path.realpath(os.getcwd()), "<%s>" % program)


def _describe_cell(shell):
    if not hasattr(shell, "kernel"):
        return {"file": _no_file("ipython"), "x": process_execution()}
    inputs = shell.history_manager.input_hist_raw
    count = len(inputs) - 1
    notebook = _notebook_of(shell)
    if count not in _titles:
        _titles[count] = _title_of(notebook, inputs[-1], count)
    cell = {"runner": "notebook", "name": [_titles[count]], "x": "%s.%d" % (process_execution(), count)}
    return dict(cell, file=notebook or _no_file("notebook"))


def _notebook_of(shell):
    """As VS Code, our own hook on nbclient, and a Jupyter server name it."""
    paths = shell.user_ns.get("__vsc_ipynb_file__"), os.environ.get(NOTEBOOK), os.environ.get("JPY_SESSION_NAME")
    return next((os.path.realpath(path) for path in paths if path and str(path).endswith(".ipynb")), None)


def _title_of(notebook, source, count):
    """The cell's position among the notebook's code cells, which another run does not change; else its prompt."""
    try:
        if os.path.getsize(notebook) <= _LARGEST:
            with open(notebook, encoding="utf-8") as file:
                cells = [cell for cell in json.load(file)["cells"] if cell["cell_type"] == "code"]
            same = [at for at, cell in enumerate(cells, 1) if "".join(cell["source"]).strip() == source.strip()]
            return "cell %d" % (count if count in same else same[0])
    except Exception:
        pass
    return "In [%d]" % count


# ---- positions ----

# The server counts identical calls as they arrive. Connections, threads, and pools reorder calls that are made at once,
# so each sends its position behind the test, as ";GROUP;POSITION"; see core/call/attribution.ts.
_position = contextvars.ContextVar("tapedeck_position", default=None)  # of the call being made: its key and text
_groups = {}  # method, address, and body of calls under way: their groups
_ids = itertools.count(1)
_lock = _thread.allocate_lock()

# Headers that differ between identical calls: see SILENT in core/match/key/header-names.ts.
_VARYING = (
    r"auth|api-?key|token|secret|cookie|signature|retry|timeout|trace|baggage|nonce|date|idempotency"
    r"|(?:request|correlation|span|session|invocation)-?id$|^(?:user-agent|content-length|x-stainless-.+|amz-sdk-.+|x-tapedeck-.+)$"
)


class _Group:
    def __init__(self, headers):
        self.id = "%d.%d" % (os.getpid(), next(_ids))
        self.headers = headers
        self.next, self.under_way = 1, 0
        self.failed = []  # positions of calls that failed: a retry takes one

    def has(self, headers):
        try:
            return _kept(self.headers) == _kept(headers)
        except Exception:
            return False


def _kept(headers):
    pairs = [(str(name).lower(), str(value)) for name, value in dict(headers or {}).items()]
    return sorted(pair for pair in pairs if not re.search(_VARYING, pair[0]))


class Numbered:
    """Gives a call its position while it is under way. A call whose body is not known gets none."""

    def __init__(self, method, url, headers, body):
        self.key = self.group = None
        self.is_answered = False
        self.headers = headers
        if isinstance(body, (bytes, str)):
            quietly(self._set_key, method, url, body)

    def _set_key(self, method, url, body):
        self.key = (running() or {}).get("x"), str(method), str(url), body

    def answered(self, status):
        self.is_answered = status < 400

    def __enter__(self):
        outer = _position.get()
        if self.key is None or (outer is not None and outer[0] == self.key):
            return self  # one client is built on the other
        with _lock:
            groups = _groups.setdefault(self.key, [])
            self.group = next((group for group in groups if group.has(self.headers)), None)
            if self.group is None:
                self.group = _Group(self.headers)
                groups.append(self.group)
            group = self.group
            group.under_way += 1
            self.position = group.failed.pop(0) if group.failed else group.next
            group.next = max(group.next, self.position + 1)
        self.before = _position.set((self.key, ";%s;%d" % (group.id, self.position)))
        return self

    def __exit__(self, *_error):
        group = self.group
        if group is None:
            return
        quietly(_position.reset, self.before)  # it may end in another context
        with _lock:
            group.under_way -= 1
            if not self.is_answered:
                group.failed = sorted(group.failed + [self.position])
            if group.under_way == 0:
                groups = _groups.get(self.key, [])
                if group in groups:
                    groups.remove(group)
                if not groups:
                    _groups.pop(self.key, None)


def _start_anew():
    global _lock
    _lock = _thread.allocate_lock()
    _groups.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_start_anew)
