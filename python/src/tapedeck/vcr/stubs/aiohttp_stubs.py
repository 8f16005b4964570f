"""The classes that projects change to correct vcrpy's responses of aiohttp. They have no effect and need none."""

from __future__ import annotations

from typing import Any

from ..without_effect import find_name


class MockStream:
    """Stands for the body of a response."""

    def set_exception(self, *_: Any) -> None:
        pass


class MockClientResponse:
    """Stands for a response. Tapedeck gives aiohttp the bytes of a response, and aiohttp makes its own."""

    @property
    def content(self) -> MockStream:
        return MockStream()

    async def json(self, **_: Any) -> Any:
        return None

    async def text(self, *_: Any) -> str:
        return ""

    async def read(self) -> bytes:
        return b""


def __getattr__(name: str) -> Any:
    return find_name("stubs.aiohttp_stubs", name)
