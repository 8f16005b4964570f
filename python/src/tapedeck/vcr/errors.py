"""Errors under the names that vcrpy gives them."""

from __future__ import annotations

from typing import Any


class CannotOverwriteExistingCassetteException(Exception):
    """A request is in no cassette, and may not be sent."""

    def __init__(self, *args: Any, cassette: Any = None, failed_request: Any = None) -> None:
        self.cassette = cassette
        self.failed_request = failed_request
        super().__init__(*args)


class UnhandledHTTPRequestError(KeyError):
    """A cassette has no response to a request."""


class CassetteNotFoundError(FileNotFoundError):
    """There is no cassette at a path."""


class CassetteDecodeError(ValueError):
    """A cassette is damaged. The message names the file, the position, and the reason."""
