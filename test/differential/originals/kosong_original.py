"""Reads scripts of the echo language with the real kosong."""
import json
import sys

from kosong.chat_provider import APIStatusError
from kosong.chat_provider.echo.dsl import parse_echo_script


def read(script):
    try:
        parts, message_id, usage = parse_echo_script(script)
    except Exception as error:
        shown = {"type": type(error).__name__, "message": str(error)}
        if isinstance(error, APIStatusError):
            shown["status_code"] = error.status_code
        return {"error": shown}
    return {
        "parts": [part.model_dump() for part in parts],
        "id": message_id,
        "usage": None if usage is None else usage.model_dump(),
    }


json.dump([read(script) for script in json.load(sys.stdin)], sys.stdout)
