"""Reads and writes cassette files."""

from __future__ import annotations

import gzip
import os
from pathlib import Path
from typing import Any

from ..errors import CassetteDecodeError, CassetteNotFoundError
from ..serialize import deserialize, serialize

__all__ = ["CassetteDecodeError", "CassetteNotFoundError", "FilesystemPersister"]
_GZIP = b"\x1f\x8b"


class FilesystemPersister:
    """Keeps each cassette in a file, packed with gzip if its name ends with .gz."""

    @staticmethod
    def load_cassette(cassette_path: str | os.PathLike[str], serializer: Any) -> tuple[Any, ...]:
        """Returns the requests, the responses, and the metadata if there are some.

        Raises CassetteNotFoundError, or CassetteDecodeError if the file is damaged.
        """
        try:
            content = Path(cassette_path).read_bytes()
        except (FileNotFoundError, NotADirectoryError) as error:
            raise CassetteNotFoundError(f"There is no cassette {os.fspath(cassette_path)}.") from error
        try:
            if content.startswith(_GZIP):
                content = gzip.decompress(content)
            return deserialize(content.decode("utf-8-sig"), serializer)
        except Exception as error:  # a serializer may be the project's own
            why = " ".join(str(error).replace('in "<unicode string>", ', "at ").split()).rstrip(".")
            raise CassetteDecodeError(
                f"The cassette {os.fspath(cassette_path)} is damaged: {why}. Restore it, or delete it and record it again."
            ) from error

    @staticmethod
    def save_cassette(cassette_path: str | os.PathLike[str], cassette_dict: Any, serializer: Any) -> None:
        """Writes a cassette whole or not at all. Raises OSError."""
        text = serialize(cassette_dict, serializer)
        content = text if isinstance(text, bytes) else text.encode()
        target = Path(cassette_path)
        target.parent.mkdir(parents=True, exist_ok=True)
        beside = target.with_name(f".{target.name}.{os.getpid()}.tmp")
        try:
            beside.write_bytes(gzip.compress(content) if target.suffix == ".gz" else content)
            os.replace(beside, target)
        finally:
            beside.unlink(missing_ok=True)
