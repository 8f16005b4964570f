"""Makes room for libraries that answer by address, which do not know ours; see javascript/mocks.cjs.

The base-URL variables that Tapedeck set are taken back where pytest starts in a project that names such a library or
whose tests answer in httpx's place by themselves, and where one is imported. Calls then go to the provider's own
address: the library answers what it mocks, the guard the rest.
That one is installed says nothing: code of the project may read the variables itself.

PYTEST_DONT_REWRITE
"""

import os
import re

import tapedeck_guard as guard

# Where a project names what its tests need, and the names under which the libraries are installed.
_MANIFESTS = re.compile(r"^(?:pyproject\.toml|setup\.(?:cfg|py)|Pipfile|tox\.ini|.*requirements.*\.(?:txt|in)|dev.*\.txt)$")
_INSTALLED = re.compile(
    r"(?<![\w-])(?:vcrpy|pytest[-_](?:recording|vcr|httpx|responses)|respx|responses|aioresponses|requests[-_]mock|httpretty|mocket|pook)(?![\w-])"
)
_LONGEST = 262_144

# What tests say that answer in httpx's place, with a library of their own or none: transports, and patches of them.
_ANSWERS = (b"MockTransport", b"handle_async_request")
_TEST_FILE = re.compile(r"^(?:conftest|test_.*|.*_test)\.py$")
_TEST_FOLDERS = {"test", "tests"}
_MOST_FOLDERS = 2000


def take_back(env, names=None):
    """Only what still is ours, of these names."""
    ours = env.get("TAPEDECK_URL", "") + "/"
    before = guard.SETTINGS.get("before") or {}
    for name in [name for name, value in env.items() if value.startswith(ours) and (names is None or name in names)]:
        if name in before:
            env[name] = before[name]
        elif name not in guard.SETTINGS.get("needed", ()):
            del env[name]
    for name, value in (guard.SETTINGS.get("spare") or {}).items() if names is None else ():
        if env.get(name) == value:
            del env[name]


def hook_library(module):
    take_back(os.environ)
    guard.report("mocked", by=module.__name__)


def what_mocks(start):
    """Returns the file of the folder's project that shows mocking by address: its list of packages, or a test file."""
    folder = start
    while True:
        files = [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if _MANIFESTS.match(name)]
        inner = os.path.join(folder, "requirements")
        if os.path.isdir(inner):
            files += [os.path.join(inner, name) for name in sorted(os.listdir(inner)) if name.endswith((".txt", ".in"))]
        above = os.path.dirname(folder)
        if files or above == folder:
            break
        folder = above
    for file in files:
        if _INSTALLED.search(_read(file).decode("utf-8", "replace")):
            return "a package that %s names" % os.path.relpath(file, start), False
    found = next(_answering(folder if files else start), None)
    return found and (os.path.relpath(found, start), True)


def _answering(project):
    """Files of its tests that answer calls themselves."""
    for place, (folder, folders, names) in enumerate(os.walk(project)):
        if place == _MOST_FOLDERS:
            return
        if "pyvenv.cfg" in names:
            folders[:] = names = []
        folders[:] = sorted(name for name in folders if name[0] != "." and name not in ("node_modules", "site-packages"))
        is_of_tests = not _TEST_FOLDERS.isdisjoint(os.path.relpath(folder, project).split(os.sep))
        for name in sorted(names):
            if name.endswith(".py") and (is_of_tests or _TEST_FILE.match(name)):
                path = os.path.join(folder, name)
                text = _read(path)
                if any(word in text for word in _ANSWERS):
                    yield path


def _read(file):
    try:
        if not os.path.isfile(file):  # opening a pipe would wait
            return b""
        with open(file, "rb") as opened:
            return opened.read(_LONGEST)
    except OSError:
        return b""


def hook_pytest(_module):
    """Before any of its plugins, and any client, is made."""
    if not any(value.startswith(os.environ.get("TAPEDECK_URL", "") + "/") for value in os.environ.values()):
        return  # a worker of pytest-xdist, started after this was done
    found = what_mocks(os.getcwd())
    if found is not None:
        take_back(os.environ)
        by, answers_itself = found
        if answers_itself:
            guard.report("mocked", by=by)
