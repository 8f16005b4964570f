"""Makes room for libraries that answer by address, which do not know ours; see javascript/mocks.cjs.

The base-URL variables that Tapedeck set are taken back where pytest starts in a project that names such a library, and
where one is imported. Calls then go to the provider's own address: the library answers what it mocks, the guard the rest.
That one is installed says nothing: code of the project may read the variables itself.

PYTEST_DONT_REWRITE
"""

import os
import re

import tapedeck_guard as guard

_LIBRARIES = ("vcr", "respx", "pytest_httpx", "responses", "aioresponses", "requests_mock", "httpretty", "mocket", "pook")

# Where a project names what its tests need, and the names under which the libraries are installed.
_MANIFESTS = re.compile(r"^(?:pyproject\.toml|setup\.(?:cfg|py)|Pipfile|tox\.ini|.*requirements.*\.(?:txt|in)|dev.*\.txt)$")
_INSTALLED = re.compile(
    r"(?<![\w-])(?:vcrpy|pytest[-_](?:recording|vcr|httpx|responses)|respx|responses|aioresponses|requests[-_]mock|httpretty|mocket|pook)(?![\w-])"
)
_LONGEST = 262_144


# See SIGNED in javascript/mocks.cjs.
_SIGNED = ("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", "ANTHROPIC_BEDROCK_BASE_URL")


def _take_back(env, names=None):
    """Only what still is ours, of these names."""
    ours = env.get("TAPEDECK_URL", "") + "/"
    before = guard.SAID.get("before") or {}
    for name in [name for name, value in env.items() if value.startswith(ours) and (names is None or name in names)]:
        if name in before:
            env[name] = before[name]
        else:
            del env[name]


def _imported(name):
    def hook(_module):
        _take_back(os.environ)
        guard.tell_mocked(name)

    return hook


def _names_one(folder):
    """Whether the project that the folder lies in names such a library, as its files or those of requirements/ say."""
    while True:
        files = [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if _MANIFESTS.match(name)]
        inner = os.path.join(folder, "requirements")
        if os.path.isdir(inner):
            files += [os.path.join(inner, name) for name in sorted(os.listdir(inner)) if name.endswith((".txt", ".in"))]
        if files:
            return any(_INSTALLED.search(_text(file)) for file in files)
        above = os.path.dirname(folder)
        if above == folder:
            return False
        folder = above


def _text(file):
    try:
        with open(file, encoding="utf-8", errors="replace") as opened:
            return opened.read(_LONGEST)
    except OSError:
        return ""


def _pytest(_module):
    """Before any of its plugins, and any client, is made."""
    if _names_one(os.getcwd()):
        _take_back(os.environ)


if guard.SAID:
    _take_back(os.environ, _SIGNED)

HOOKS = {name: _imported(name) for name in _LIBRARIES}
HOOKS["_pytest.config"] = _pytest
