"""Texts of cassettes, for persisters of a project's own."""

from __future__ import annotations

from typing import Any

from .interactions import read_interactions, write_interactions

CASSETTE_FORMAT_VERSION = 1


def deserialize(cassette_string: str | bytes, serializer: Any) -> tuple[Any, ...]:
    """Returns requests and responses, and the metadata if there are some. Raises ValueError if it is no cassette."""
    content = serializer.deserialize(cassette_string)
    interactions = read_interactions(content)
    lists = [request for request, _ in interactions], [response for _, response in interactions]
    metadata = content.get("metadata") if isinstance(content, dict) else None
    return (*lists, metadata) if metadata else lists


def serialize(cassette_dict: Any, serializer: Any) -> Any:
    """Returns the text of the "requests" and "responses" of a cassette."""
    content = write_interactions(list(zip(cassette_dict["requests"], cassette_dict["responses"])))
    if cassette_dict.get("metadata"):
        content["metadata"] = cassette_dict["metadata"]
    return serializer.serialize(content)
