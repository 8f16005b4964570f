"""Reads and writes cassette files."""

from __future__ import annotations

import gzip
import os
from pathlib import Path
from typing import Any

from ..errors import CassetteDecodeError, CassetteNotFoundError
from ..interactions import Interaction, read_interactions, write_interactions

__all__ = ["CassetteDecodeError", "CassetteNotFoundError", "FilesystemPersister"]
_GZIP = b"\x1f\x8b"


class FilesystemPersister:
    """Keeps each cassette in a file, packed with gzip if its name ends with .gz."""

    @staticmethod
    def load_cassette(cassette_path: str | os.PathLike[str], serializer: Any) -> tuple[list[Any], list[Any]]:
        """Returns the requests and the responses.

        Raises CassetteNotFoundError, or CassetteDecodeError if the file is damaged.
        """
        interactions = load(cassette_path, serializer)
        return [request for request, _ in interactions], [response for _, response in interactions]

    @staticmethod
    def save_cassette(cassette_path: str | os.PathLike[str], cassette_dict: Any, serializer: Any) -> None:
        save(cassette_path, list(zip(cassette_dict["requests"], cassette_dict["responses"])), serializer)


def load(path: str | os.PathLike[str], serializer: Any) -> list[Interaction]:
    """Reads a cassette. Raises as `FilesystemPersister.load_cassette`."""
    try:
        content = Path(path).read_bytes()
    except (FileNotFoundError, NotADirectoryError) as error:
        raise CassetteNotFoundError(f"There is no cassette {os.fspath(path)}.") from error
    try:
        if content.startswith(_GZIP):
            content = gzip.decompress(content)
        return read_interactions(serializer.deserialize(content.decode("utf-8-sig")))
    except Exception as error:  # a serializer may be the project's own
        why = " ".join(str(error).split())
        raise CassetteDecodeError(
            f"The cassette {os.fspath(path)} is damaged: {why} Restore it, or delete it and record it again."
        ) from error


def save(path: str | os.PathLike[str], interactions: list[Interaction], serializer: Any) -> None:
    """Writes a cassette whole or not at all. Raises OSError."""
    text = serializer.serialize(write_interactions(interactions))
    content = text if isinstance(text, bytes) else text.encode()
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    beside = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        beside.write_bytes(gzip.compress(content) if target.suffix == ".gz" else content)
        os.replace(beside, target)
    finally:
        beside.unlink(missing_ok=True)
