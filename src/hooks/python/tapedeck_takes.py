"""Numbers identical calls that are under way together, in the order in which the program makes them.

The server counts identical calls as they arrive. Connections, threads and pools reorder calls that are made at once, so
that each says its place among them behind the test in our header: ";GROUP;POSITION". See core/call/attribution.ts.

PYTEST_DONT_REWRITE
"""

import _thread
import contextvars
import itertools
import os
import re

import tapedeck_attribution as own

_place = contextvars.ContextVar("tapedeck_place", default=None)  # of the call being made: its request, ";GROUP;POSITION"
_groups = {}  # requests under way: their groups
_ids = itertools.count(1)
_lock = _thread.allocate_lock()

# Headers that differ between identical calls: see SILENT in core/match/key/header-names.ts.
_VARYING = re.compile(
    r"auth|api-?key|token|secret|cookie|signature|retry|timeout|trace|baggage|nonce|date|idempotency"
    r"|(?:request|correlation|span|session|invocation)-?id$|^(?:user-agent|content-length|x-stainless-.+|amz-sdk-.+|x-tapedeck-.+)$"
).search


class _Group:
    def __init__(self):
        self.id = "%d.%d" % (os.getpid(), next(_ids))
        self.next, self.under_way = 1, 0
        self.again = []  # positions of calls that failed: they are made again


class Numbered:
    """Gives a call its position while it is under way. A body that is not known leaves it without one."""

    def __init__(self, method, url, headers, body):
        self.request = self.group = None
        self.is_answered = False
        own.quietly(self._read, method, url, headers, body)

    def _read(self, method, url, headers, body):
        if isinstance(body, (bytes, str)):
            pairs = [(str(name).lower(), str(value)) for name, value in dict(headers or {}).items()]
            kept = sorted(pair for pair in pairs if not _VARYING(pair[0]))
            self.request = (own.running() or {}).get("x"), str(method), str(url), body, tuple(kept)

    def answered(self, status):
        self.is_answered = status < 400

    def __enter__(self):
        outer = _place.get()
        if self.request is None or (outer is not None and outer[0] == self.request):
            return self  # clients are built on others
        with _lock:
            self.group = _groups.get(self.request) or _Group()
            _groups[self.request] = self.group
            self.group.under_way += 1
            self.position = self.group.again.pop(0) if self.group.again else self.group.next
            self.group.next = max(self.group.next, self.position + 1)
        self.before = _place.set((self.request, ";%s;%d" % (self.group.id, self.position)))
        return self

    def __exit__(self, *_error):
        if self.group is None:
            return
        own.quietly(_place.reset, self.before)  # it may end in another context
        with _lock:
            self.group.under_way -= 1
            if not self.is_answered:
                self.group.again = sorted(self.group.again + [self.position])
            if self.group.under_way == 0:
                _groups.pop(self.request, None)


def header():
    """The header of the call that is being made: its test, and its place."""
    made = _place.get()
    return (own.header() or "") + ("" if made is None else made[1])


def _let_go():
    global _lock
    _lock = _thread.allocate_lock()
    _groups.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_let_go)


# ---- clients that wait before they come to HTTP ----


def _stainless(module):
    """Its asynchronous clients look up the platform in a thread at their first calls, which end in any order."""

    def make(original):
        def __init__(self, *args, **named):
            original(self, *args, **named)
            own.quietly(look_up, self)

        return __init__

    def look_up(client):
        client._platform = module.get_platform()

    own.wrap(module.AsyncAPIClient, "__init__", make)


HOOKS = {name + "._base_client": _stainless for name in ("openai", "anthropic", "groq", "together")}
