"""Reports what MetaGPT's tests ask of their own cache: hits, misses, and answers that it keeps. PYTEST_DONT_REWRITE

MockLLM of MetaGPT (tests/mock/mock_llm.py) looks each prompt up in rsp_cache.json. A missing key raises ValueError
unless live calls are allowed; such a call never reaches an HTTP client, so only this hook can report it. See
src/server/cache-notes.ts.
"""

import os
import sys

import tapedeck_attribution as own

_SWITCH, _OURS = "ALLOW_OPENAI_API_CALL", "TAPEDECK_METAGPT"
_PLACES = (("tests", "data", "rsp_cache.json"), ("rsp_cache.json",))
_PATIENCE = 5  # seconds; the server may read a large cache to find the nearest key
# Read once: a test may change the environment.
_follows_mode = os.environ.get(_OURS, "") != "" and os.environ.get(_OURS) == os.environ.get(_SWITCH)
_pending = []  # live answers of the running test, which MetaGPT keeps only if it passes


def _mock_llm(module):
    own.wrap(module.MockLLM, "_mock_rsp", _reporting)


def _reporting(original):
    async def _mock_rsp(self, msg_key, ask_func, *args, **named):
        if msg_key in self.rsp_cache:
            _report(msg_key, "replayed")
            return await original(self, msg_key, ask_func, *args, **named)
        own.quietly(_follow_mode, self)
        if not self.allow_open_api_call:
            _report(msg_key, "miss")
            return await original(self, msg_key, ask_func, *args, **named)
        kept = own.kept.set(True)
        try:
            answer = await original(self, msg_key, ask_func, *args, **named)
        finally:
            own.kept.reset(kept)
        own.quietly(_settle_later, self, msg_key)
        return answer

    return _mock_rsp


def _follow_mode(llm):
    """An open terminal keeps the switch that it was opened with; the server knows the mode of now."""
    if not _follows_mode:
        return
    import tapedeck_guard

    answer = tapedeck_guard.ask_mode()
    if b'"leaves":' in answer:
        llm.allow_open_api_call = b'"leaves":true' in answer


def _settle_later(llm, key):
    if (own.running() or {}).get("runner") != "pytest":
        _report(key, "forwarded")
        return
    if not _pending:
        own.at_test_end.append(_settle)
    _pending.append((llm, key, own.header()))


def _settle():
    settled, _pending[:] = list(_pending), []
    for llm, key, test in settled:
        _report(key, "recorded" if key in llm.rsp_cache else "forwarded", test)


def _report(key, outcome, test=None):
    own.quietly(_send, key, outcome, test)


def _send(key, outcome, test):
    if own.trouble() is not None:
        return
    import json

    from tapedeck_proof import connected

    body = json.dumps({"key": key, "outcome": outcome, "file": _cache_file()}).encode()
    test = test or own.header()
    lines = ["POST /%s/@cached HTTP/1.1" % own.TOKEN, "host: %s:%s" % (own._host, own._port), "connection: close"]
    lines += ["content-type: application/json", "content-length: %d" % len(body)]
    lines += ["%s: %s" % (own.HEADER, test)] if test else []
    connection = connected(own._host, own._port, _PATIENCE)
    try:
        connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode() + body)
        while connection.recv(4096):
            pass
    finally:
        connection.close()


def _cache_file():
    """The file that MetaGPT's fixture reads, else the one in a usual place of the project."""
    data = getattr(sys.modules.get("metagpt.const"), "TEST_DATA_PATH", None)
    found = [] if data is None else [os.path.join(str(data), "rsp_cache.json")]
    found += [os.path.join(root, *place) for root in own._roots for place in _PLACES]
    return next((os.path.realpath(file) for file in found if os.path.exists(file)), None)


HOOKS = {name: _mock_llm for name in ("tests.mock.mock_llm", "mock.mock_llm", "mock_llm")}
