"""Errors under the names that vcrpy gives them."""

from __future__ import annotations

from typing import Any


class CannotOverwriteExistingCassetteException(Exception):
    """A request is in no cassette, and may not be sent."""

    def __init__(self, *args: Any, cassette: Any = None, failed_request: Any = None) -> None:
        self.cassette = cassette
        self.failed_request = failed_request
        super().__init__(*args)


    @property
    def similar_requests(self) -> list[Any]:
        """The recorded requests that are nearest, with the names of the matchers that agree, and those that do not."""
        found = self.failed_request is not None and self.cassette.find_requests_with_most_matches(self.failed_request)
        return found or []


class MissingMetadataError(CannotOverwriteExistingCassetteException):
    """A cassette has no metadata under a key, and takes none."""


class UnhandledHTTPRequestError(KeyError):
    """A cassette has no response to a request."""


class CassetteNotFoundError(FileNotFoundError):
    """There is no cassette at a path."""


class CassetteDecodeError(ValueError):
    """A cassette is damaged. The message names the file, the position, and the reason."""
