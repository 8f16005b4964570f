"""Names that tests change in vcrpy's replacements of HTTP clients. Only those of httpx_stubs have an effect."""

from __future__ import annotations

from typing import Any


class VCRHTTPResponse:
    """Stands for vcrpy's response, to which some projects add attributes of http.client's."""

    version_string: str | None = None


class VCRConnection:
    """Stands for vcrpy's connections, which projects derive connections of their own from."""

    cassette: Any = None
    _baseclass: Any = None


class VCRHTTPConnection(VCRConnection):
    """Stands for a connection without TLS."""


class VCRHTTPSConnection(VCRConnection):
    """Stands for a connection over TLS."""
