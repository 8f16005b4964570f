"""Repairs texts as MiroFlow and AgentScope do, with the json_repair that MiroFlow pins."""
import json
import sys

from json_repair import repair_json


def repaired(text, stable):
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        pass
    try:
        return json.loads(repair_json(text, stream_stable=stable))
    except Exception:
        return "nothing"


def growing(text):
    value = repaired(text, True)
    return value if isinstance(value, dict) else {}


cases = json.load(sys.stdin)
json.dump([{"whole": repaired(text, False), "growing": growing(text)} for text in cases], sys.stdout)
