"""Notes the values that this process obtains from a source of chance or place, so that a request is matched by where its
values come from. The next call reports them to the server; nothing else leaves the process.

PYTEST_DONT_REWRITE
"""

import atexit
import collections
import os
import re
import sys
import time

from tapedeck_hooks import ENVIRONMENT, HOOKS, IS_GUARDED, quietly, wrap

_MOST_VALUES = 512  # kept between two calls; the oldest are dropped
_MAX_LENGTH = 8000  # of a report; servers limit all headers together
_LONGEST_ID = 256  # longer random data is key material or noise, not an id

# What tempfile adds to the name of a file, and pytest to that of the folder of a run.
_CHANCE = re.compile(r"[a-z0-9_]{8}(?=(\.\w+)?$)|(?<=-)[0-9]+$")

_fresh = []  # a letter, which reported-values.ts explains, and a value
_characters = []  # drawn one by one, as ids often are
_temporary = collections.deque(maxlen=_MOST_VALUES)  # folders that were noted: those below them belong to them


def _note(letter, value):
    if len(_fresh) >= _MOST_VALUES:
        del _fresh[0]
    _fresh.append((letter, value))


def _after(owner, name, look):
    """Passes each result of a function on to `look`."""

    def make(original):
        def call(*args, **named):
            result = original(*args, **named)
            quietly(look, result, *args)
            return result

        return call

    if hasattr(owner, name):
        wrap(owner, name, make)


# ---- sources ----


def _hook_os():
    """uuid4, secrets, and SystemRandom take their bytes from here; tempfile and pathlib make their folders here."""
    _after(os, "urandom", lambda data, *_: _note("b", data) if len(data) <= _LONGEST_ID else None)
    _after(os, "mkdir", lambda _, path, *__: _note_temporary(os.fsdecode(path)))


def hook_uuid(uuid):
    _hook_os()
    _freeze_uuid4(uuid)
    for name in ("uuid1", "uuid4", "uuid6", "uuid7"):
        _after(uuid, name, lambda made, *_: _note("u", str(made)))


def hook_tempfile(tempfile):
    """All kinds of temporary files are opened by the second function."""
    _hook_os()
    _after(tempfile, "mkdtemp", lambda made, *_: _note_folder(os.fsdecode(made)))
    _after(tempfile, "_mkstemp_inner", lambda made, *_: _note_folder(os.fsdecode(made[1])))


def _note_temporary(path):
    tempfile = sys.modules.get("tempfile")
    temporary = os.path.join(tempfile.gettempdir() if tempfile else "/tmp", "")
    if not path.startswith(temporary):
        temporary = os.path.join(os.path.realpath(temporary), "")
    if not path.startswith(temporary) or any(path.startswith(known + os.sep) for known in _temporary):
        return
    if path[len(temporary) :].startswith("pytest-of-") and path.count(os.sep) == temporary.count(os.sep):
        return  # the folder of a user, which stays; those of the runs are in it
    _note_folder(path)


def _note_folder(path):
    # Programs may resolve links, such as that of macOS to its temporary folder.
    for spelling in (path, os.path.realpath(path)):
        if spelling not in _temporary:
            _temporary.append(spelling)
            _note("f", (spelling, re.sub(_CHANCE, "", os.path.basename(spelling))))


def hook_random(random):
    """Functions that small helpers make ids of."""
    _hook_os()
    random._urandom = os.urandom
    _freeze_unseeded(random)
    _after(random, "choices", lambda drawn, *_: _note_characters(drawn))
    _after(random, "sample", lambda drawn, *_: _note_characters(drawn))
    _after(random, "choice", _note_character)
    _after(random, "getrandbits", lambda bits, *_: _note_number(bits))
    _after(random, "randbytes", lambda data, *_: _note("b", data) if len(data) <= _LONGEST_ID else None)
    for name in ("randint", "randrange"):
        _after(random, name, lambda number, *_: _note("r", str(number)) if abs(number) >= 10**6 else None)


def hook_secrets(secrets):
    """The documentation draws passwords and ids with this function."""
    _after(secrets, "choice", _note_character)


def _is_character(drawn):
    return type(drawn) is str and len(drawn) == 1


def _note_character(drawn, *_):
    if _is_character(drawn):
        _characters.append(drawn)


def _note_characters(drawn):
    if 6 <= len(drawn) <= _LONGEST_ID and all(map(_is_character, drawn)):
        _note("r", "".join(drawn))


def _note_number(number):
    if number >= 2**28:
        _note("r", "%x" % number)
        _note("r", str(number))
        if number >= 2**96:
            _note("b", number.to_bytes((number.bit_length() + 7) // 8, "big").rjust(16, b"\0"))


def hook_socket(socket):
    def make(original):
        def bind(self, address, *rest):
            result = original(self, address, *rest)
            if isinstance(address, tuple):
                quietly(lambda: _note("p", str(self.getsockname()[1])))
            return result

        return bind

    wrap(socket.socket, "bind", make)


# ---- sources that repeat ----

_NOON = "2026-01-01T12:00:00+00:00"
_frozen = [source for source in ENVIRONMENT.get("TAPEDECK_FREEZE", "").split(",") if source]
_uuids = None  # makes the UUIDs of the running test
_execution = None
_clock = None  # of time-machine or freezegun
_bytes = None  # makes the random bytes of the running test
_LONGEST_STILL = 5  # seconds of a test after which its clock advances, so that a loop that waits for a time ends


def begin_frozen(test):
    """Gives a test that begins its own seed, and the moment at which every test begins."""
    global _execution, _uuids, _bytes
    if not _frozen or test.get("x") == _execution:
        return
    _execution = test.get("x")
    seed = "\n".join([os.path.basename(test.get("file") or "")] + list(test.get("name") or []))
    import random

    if "random" in _frozen:
        random.seed(seed)
        _bytes = random.Random("bytes " + seed)
        numpy = sys.modules.get("numpy")
        if numpy:
            numpy.random.seed(random.Random(seed).getrandbits(32))
    if "uuid" in _frozen:
        _uuids = random.Random("uuid " + seed)
    for source in _frozen:
        if source.partition("=")[0] == "clock":
            _begin_clock(source.partition("=")[2] or _NOON)


def _begin_clock(moment):
    """Uses a library of the project, which replaces the clock in compiled code as well and allows others within."""
    global _clock
    import datetime

    at = datetime.datetime.fromisoformat(moment.replace("Z", "+00:00"))
    if _clock:
        return _clock.move_to(at)
    try:
        import time_machine

        _clock = time_machine.travel(at, tick=False).start()
        _move_on(_clock.shift)
    except ImportError:
        try:
            import freezegun

            with_loops = {"real_asyncio": True} if "real_asyncio" in freezegun.freeze_time.__code__.co_varnames else {}
            _clock = freezegun.freeze_time(at, ignore=["_pytest."], **with_loops).start()
            _move_on(_clock.tick)
        except ImportError:
            _frozen[:] = [source for source in _frozen if not source.startswith("clock")]
            sys.stderr.write("Tapedeck cannot freeze the clock. Install time-machine: pip install time-machine\n")


def _move_on(advance):
    """Has the clock advance by what a test sleeps, and if a test lasts long."""
    import threading

    global _advance
    _advance = advance

    def follow():
        seen, seconds = None, 0
        while True:
            _sleep(1)
            seconds = seconds + 1 if _execution == seen else 0
            seen = _execution
            if seconds >= _LONGEST_STILL:
                advance(1)

    threading.Thread(target=follow, daemon=True, name="tapedeck-clock").start()


_advance = None
_sleep = time.sleep


def _freeze_sleep():
    def make(original):
        def sleep(seconds):
            original(seconds)
            if _advance:
                _advance(seconds)

        return sleep

    wrap(time, "sleep", make)


def hook_asyncio(tasks):
    def make(original):
        async def sleep(delay, *args, **named):
            result = await original(delay, *args, **named)
            if _advance and delay > 0:
                _advance(delay)
            return result

        return sleep

    if _freezes_clock:
        wrap(tasks, "sleep", make)
        package = sys.modules.get("asyncio")
        if hasattr(package, "sleep"):  # loaded before, with its own name for the function
            package.sleep = tasks.sleep


def _freeze_unseeded(random):
    """A generator without a seed takes one from the system, past os.urandom."""

    def make(original):
        def seed(self, a=None, *version, **named):
            return original(self, _bytes.getrandbits(64) if a is None and _bytes else a, *version, **named)

        return seed

    if "random" in _frozen:
        wrap(random.Random, "seed", make)


def _freeze_urandom():
    def make(original):
        def urandom(size):
            return _bytes.randbytes(size) if _bytes else original(size)

        return urandom

    wrap(os, "urandom", make)


_freezes_clock = any(source.startswith("clock") for source in _frozen)
if _freezes_clock:
    _freeze_sleep()
if "random" in _frozen:
    _freeze_urandom()


def _freeze_uuid4(uuid):
    def make(original):
        def uuid4():
            return uuid.UUID(int=_uuids.getrandbits(128), version=4) if _uuids else original()

        return uuid4

    if "uuid" in _frozen:
        original = make(uuid.uuid4)
        original.__name__ = "uuid4"
        uuid.uuid4 = original


# ---- the report ----

_is_first = True


def report():
    """The values since the last report, as a part of the header; "" if there are none. Never raises."""
    global _is_first
    try:
        if len(_characters) >= 6:
            _note("d", "".join(_characters[-_LONGEST_ID:]))
        if _is_first:
            _note("i", str(os.getpid()))
            _note("z", (str(time.localtime().tm_gmtoff // 60), time.localtime().tm_zone))
        items = [letter + _encode(value) for letter, value in _fresh]
        del _fresh[:], _characters[:]
        _is_first = False
        length, first = 0, len(items)
        while first > 0 and length + len(items[first - 1]) < _MAX_LENGTH:
            first -= 1
            length += len(items[first]) + 1
        return ";v=" + ",".join(items[first:]) if first < len(items) else ""
    except Exception:
        return ""


def _encode(value):
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, tuple):
        return ":".join(map(_encode, value))
    from urllib.parse import quote

    return quote(value, safe="")


@atexit.register
def report_to_run():
    """
    Another program may send what this process made up: it ends and may have printed it ("uuid $(python new_id.py)"), or it
    starts a program, such as a coding agent, and passes it on.
    """
    if any(letter not in "iz" for letter, _ in _fresh):
        quietly(_append_report)


def _append_report():
    import json

    # Not by way of the guard, which would be loaded for it.
    tell = json.loads(ENVIRONMENT["TAPEDECK_GUARD"]).get("tell") if IS_GUARDED else None
    if isinstance(tell, str):
        with open(tell, "a") as notes:
            notes.write("%d @values %s\n" % (os.getpid(), report()))


# Python, or pytest and its plugins, may have loaded modules before.
for _name, _hook in [(name, hook) for name, hooks in HOOKS.items() for hook in hooks.split()]:
    if _hook.startswith("values.") and _name in sys.modules:
        quietly(globals()[_hook.partition(".")[2]], sys.modules[_name])
