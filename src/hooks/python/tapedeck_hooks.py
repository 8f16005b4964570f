"""Changes a module right after the program imports it; see HOOKS for the modules.

  TAPEDECK_URL    http://127.0.0.1:PORT/TOKEN; without it nothing is changed
  TAPEDECK_GUARD  the hosts of providers, as src/hooks/environment.ts writes them; "off" for none

Every Python process loads this file, so it imports only what Python has loaded by then. The other files are loaded when
the program imports a module that they change. Errors in here are swallowed: a test never fails because of the hooks.
PYTEST_DONT_REWRITE
"""

import os
import sys
import time

# Read once, because tests may clear the environment.
ENVIRONMENT = dict(os.environ)
FOLDER = os.getcwd()
_HERE = os.path.dirname(__file__)
STARTED = time.monotonic()
IS_GUARDED = ENVIRONMENT.get("TAPEDECK_GUARD", "").startswith("{")

# The hooks of this process: a module of the program, and the functions that change it, in this order: FILE.FUNCTION
# without "tapedeck_".
HOOKS = {}
_SERVER_HOOKS = {
    "http.client": "http.hook_http_client",
    "urllib.request": "http.hook_urllib",
    "urllib3.connectionpool": "http.hook_urllib3",
    "httpx": "http.hook_httpx",
    "httpx2": "http.hook_httpx",  # the newest openai and anthropic packages are built on it
    "aiohttp": "http.hook_aiohttp",
    "websockets.client": "http.hook_websockets",
    **{one + "._base_client": "http.hook_stainless" for one in ("openai", "anthropic", "groq", "together")},
    "asyncio.tasks": "values.hook_asyncio",
    "random": "values.hook_random",
    "secrets": "values.hook_secrets",
    "socket": "values.hook_socket",
    "tempfile": "values.hook_tempfile",
    "uuid": "values.hook_uuid",
    "unittest.case": "running.hook_unittest_case",
    "unittest.suite": "running.hook_unittest_suite",
    "_pytest.config": "running.hook_pytest",
    "nbclient.client": "running.hook_nbclient",
    "anthropic.lib.bedrock._client": "clients.hook_bedrock",
    "anthropic.lib.foundry": "clients.hook_foundry",
    "google.genai._base_url": "clients.hook_genai",
    **dict.fromkeys(("tests.mock.mock_llm", "mock.mock_llm", "mock_llm"), "metagpt.hook_mock_llm"),
}
_MOCKING = "vcr respx pytest_httpx responses aioresponses requests_mock httpretty mocket pook".split()
_GUARD_HOOKS = {
    "socket": "sockets.hook_socket sockets.hook_lookups",
    "ssl": "sockets.hook_tls certificates.hook_ssl",
    "truststore._api": "sockets.hook_tls",
    "http.client": "sockets.hook_proxy_tunnel",
    "urllib3.util.connection": "sockets.hook_create_connection",
    "asyncio.base_events": "sockets.hook_asyncio",
    "uvloop": "sockets.hook_uvloop",
    "gevent.socket": "sockets.hook_create_connection sockets.hook_lookups",
    "gevent.ssl": "sockets.hook_green_tls",
    "eventlet.green.socket": "sockets.hook_create_connection sockets.hook_lookups",
    "eventlet.green.ssl": "sockets.hook_green_tls",
    "httpcore": "streams.hook_httpcore",
    "httpcore2": "streams.hook_httpcore",
    "aiohttp": "streams.hook_aiohttp",
    "_pytest.config": "mocks.hook_pytest",
    **dict.fromkeys(_MOCKING, "mocks.hook_library"),
}
# What a blocked network needs: clients that connect below Python, and programs that are started.
_BLOCKING_HOOKS = {
    "curl_cffi.curl": "native.hook_curl_cffi",
    "pycurl": "native.hook_pycurl",
    "grpc": "native.hook_grpc",
    "grpc.aio": "native.hook_grpc_aio",
    "uvloop": "native.hook_uvloop",
    "subprocess": "children.hook_subprocess",
}
_has_blocking_hooks = False
_STARTING = ("execve", "posix_spawn", "posix_spawnp")  # functions of `os` that start programs

# Variables that only get in the way of clients in Python; see BY_HOST in javascript/mocks.cjs.
_BY_HOST = (
    "AWS_ENDPOINT_URL_BEDROCK_RUNTIME",
    "ANTHROPIC_BEDROCK_BASE_URL",
    "ANTHROPIC_VERTEX_BASE_URL",
    "GOOGLE_VERTEX_BASE_URL",
)


def quietly(act, *args):
    try:
        act(*args)
    except Exception:
        pass


def wrap(owner, name, make):
    """Replaces a method with make(method), once."""
    original = getattr(owner, name)
    if hasattr(original, "__tapedeck__"):
        return
    wrapped = make(original)
    for attribute in ("__name__", "__qualname__", "__doc__", "__module__"):
        setattr(wrapped, attribute, getattr(original, attribute, None))
    wrapped.__wrapped__, wrapped.__tapedeck__ = original, True
    setattr(owner, name, wrapped)


def _run_hooks(module, name, is_start=False):
    for hook in HOOKS[name].split():
        # A module that Python loads for itself makes no values before the first test or client, which loads that file.
        if not (is_start and hook.startswith("values.")):
            quietly(_run_hook, hook, module)


def _run_hook(hook, module):
    file, _, function = hook.partition(".")
    getattr(_load(file), function)(module)


def _load(file):
    if _HERE not in sys.path:  # pytest-xdist replaces the path of its workers
        sys.path.append(_HERE)
    return __import__("tapedeck_" + file)


class _Finder:
    """Leaves finding modules to the other finders, and runs our hooks after a module's own code."""

    busy = set()

    def find_spec(self, name, path=None, target=None):
        if name == "_socket" and IS_GUARDED:
            quietly(_load, "guard")  # it watches connections that no module in Python opens
        if name not in HOOKS or name in self.busy:
            return None
        self.busy.add(name)
        try:
            finders = (finder for finder in sys.meta_path if finder is not self and hasattr(finder, "find_spec"))
            spec = next(filter(None, (finder.find_spec(name, path, target) for finder in finders)), None)
        finally:
            self.busy.discard(name)
        loader = getattr(spec, "loader", None)
        execute = getattr(loader, "exec_module", None)
        if execute is None or isinstance(loader, type):
            return None

        def exec_module(module):
            execute(module)
            _run_hooks(module, name)

        loader.exec_module = exec_module
        return spec


def _hook_starting():
    """Gives the hooks to programs that functions of `os` start."""
    for name in _STARTING:
        if hasattr(os, name):
            wrap(os, name, _make_start)


def _make_start(original):
    def start(*args, **named):
        return _load("children").start(original, 2, args, named)

    return start


def _drop_variables():
    for name in _BY_HOST:
        if os.environ.get(name, "").startswith(ENVIRONMENT["TAPEDECK_URL"] + "/"):
            if '"%s"' % name in ENVIRONMENT["TAPEDECK_GUARD"]:  # the user had one, or a client needs ours
                _load("mocks").take_back(os.environ, _BY_HOST)
            else:
                del os.environ[name]


def _add_hooks(*tables):
    """Changes modules that are loaded now, and the others as soon as they are."""
    for table in tables:
        for name, hooks in table.items():
            HOOKS[name] = "%s %s" % (HOOKS.get(name, ""), hooks)
    for name in {name: None for table in tables for name in table}:
        if name in sys.modules:
            _run_hooks(sys.modules[name], name, is_start=True)
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


def hook_blocking():
    """Lets a test block the network of this process, which may have no other hooks."""
    global _has_blocking_hooks
    if not _has_blocking_hooks:
        _has_blocking_hooks = True
        _add_hooks(_BLOCKING_HOOKS)
        _hook_starting()


def hook_all():
    """Has the server at TAPEDECK_URL answer the calls of this process, if the variable is set."""
    url = os.environ.get("TAPEDECK_URL", "")
    if hasattr(sys, "_tapedeck") or not url.rpartition(":")[2].partition("/")[0].isdigit():
        return
    sys._tapedeck = True
    if _has_blocking_hooks:
        _read_environment_again()
    if IS_GUARDED:
        quietly(_drop_variables)
        _add_hooks(_SERVER_HOOKS, _GUARD_HOOKS)
        hook_blocking()
    else:
        _add_hooks(_SERVER_HOOKS)


def _read_environment_again():
    """For a tape that begins in a process whose network was blocked before."""
    global IS_GUARDED
    import importlib

    ENVIRONMENT.clear()
    ENVIRONMENT.update(os.environ)
    IS_GUARDED = ENVIRONMENT.get("TAPEDECK_GUARD", "").startswith("{")
    for name in ("tapedeck_server", "tapedeck_guard", "tapedeck_children"):
        if name in sys.modules:
            importlib.reload(sys.modules[name])


hook_all()
