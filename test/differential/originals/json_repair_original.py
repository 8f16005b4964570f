"""Repairs texts as MiroFlow and AgentScope do, with the json_repair that MiroFlow pins."""
import json
import signal
import sys

from json_repair import repair_json


class Endless(BaseException):
    """Some texts keep json_repair going for ever."""


def stop(*_):
    raise Endless


signal.signal(signal.SIGALRM, stop)


def repaired(text, stable):
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        pass
    signal.alarm(2)
    try:
        return json.loads(repair_json(text, stream_stable=stable))
    except Endless:
        return "endless"
    except Exception:
        return "nothing"
    finally:
        signal.alarm(0)


def growing(text):
    value = repaired(text, True)
    return value if isinstance(value, dict) or value == "endless" else {}


cases = json.load(sys.stdin)
json.dump([{"whole": repaired(text, False), "growing": growing(text)} for text in cases], sys.stdout)
