"""vcrpy's record modes."""

from __future__ import annotations

from enum import Enum


class RecordMode(str, Enum):
    """When a cassette takes new interactions. See docs/python.md for the modes of Tapedeck that they stand for."""

    ALL = "all"
    ANY = "any"
    NEW_EPISODES = "new_episodes"
    NONE = "none"
    ONCE = "once"
