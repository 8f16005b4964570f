"""Reports what MetaGPT's tests ask of their own cache: hits, misses, and answers that it keeps. PYTEST_DONT_REWRITE

MockLLM of MetaGPT (tests/mock/mock_llm.py) looks each prompt up in rsp_cache.json. A missing key raises ValueError
unless live calls are allowed; such a call never reaches an HTTP client, so only this hook can report it. See
src/server/cache-notes.ts.
"""

import json
import os
import sys

import tapedeck_running
from tapedeck_header import ROOTS, test_header
from tapedeck_hooks import ENVIRONMENT, quietly, wrap
from tapedeck_server import ask, ask_guard

_SWITCH, _OURS = "ALLOW_OPENAI_API_CALL", "TAPEDECK_METAGPT"
_PLACES = (("tests", "data", "rsp_cache.json"), ("rsp_cache.json",))
_PATIENCE = 5  # seconds; the server may read a large cache to find the nearest key
_follows_mode = ENVIRONMENT.get(_OURS, "") != "" and ENVIRONMENT[_OURS] == ENVIRONMENT.get(_SWITCH)
_pending = []  # live answers of the running test, which MetaGPT keeps only if it passes


def hook_mock_llm(module):
    wrap(module.MockLLM, "_mock_rsp", _reporting)


def _reporting(original):
    async def _mock_rsp(self, msg_key, ask_func, *args, **named):
        if msg_key in self.rsp_cache:
            _report(msg_key, "replayed")
            return await original(self, msg_key, ask_func, *args, **named)
        quietly(_follow_mode, self)
        if not self.allow_open_api_call:
            _report(msg_key, "miss")
            return await original(self, msg_key, ask_func, *args, **named)
        kept = tapedeck_running.is_kept.set(True)
        try:
            answer = await original(self, msg_key, ask_func, *args, **named)
        finally:
            tapedeck_running.is_kept.reset(kept)
        quietly(_settle_later, self, msg_key)
        return answer

    return _mock_rsp


def _follow_mode(llm):
    """A terminal keeps the switch that it was opened with, so the server is asked for the current mode."""
    answer = ask_guard("mode") if _follows_mode else b""
    if b'"leaves":' in answer:
        llm.allow_open_api_call = b'"leaves":true' in answer


def _settle_later(llm, key):
    if (tapedeck_running.running() or {}).get("runner") != "pytest":
        _report(key, "forwarded")
        return
    if not _pending:
        tapedeck_running.at_test_end.append(_settle)
    _pending.append((llm, key, test_header()))


def _settle():
    settled, _pending[:] = list(_pending), []
    for llm, key, test in settled:
        _report(key, "recorded" if key in llm.rsp_cache else "forwarded", test)


def _report(key, outcome, test=None):
    quietly(_send, key, outcome, test)


def _send(key, outcome, test):
    body = json.dumps({"key": key, "outcome": outcome, "file": _cache_file()}).encode()
    ask("@cached", _PATIENCE, test or test_header(), body)


def _cache_file():
    """The file that MetaGPT's fixture reads, else the one in a usual place of the project."""
    data = getattr(sys.modules.get("metagpt.const"), "TEST_DATA_PATH", None)
    found = [] if data is None else [os.path.join(str(data), "rsp_cache.json")]
    found += [os.path.join(root, *place) for root in ROOTS for place in _PLACES]
    return next((os.path.realpath(file) for file in found if os.path.exists(file)), None)
