"""Names that tests change in vcrpy's replacements of HTTP clients. Only those of httpx_stubs have an effect."""

from __future__ import annotations


class VCRHTTPResponse:
    """Stands for vcrpy's response, to which some projects add attributes of http.client's."""

    version_string: str | None = None
