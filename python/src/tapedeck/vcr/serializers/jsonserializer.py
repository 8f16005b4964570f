"""Cassettes as JSON. Bodies that are not text are written in base64."""

from __future__ import annotations

import base64
import json
from typing import Any


def deserialize(cassette_string: str) -> Any:
    return json.loads(cassette_string)


def serialize(cassette_dict: Any) -> str:
    return json.dumps(cassette_dict, indent=4, default=_in_base64) + "\n"


def _in_base64(value: Any) -> Any:
    if isinstance(value, (bytes, bytearray)):
        return {"base64_string": base64.b64encode(value).decode()}
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")
