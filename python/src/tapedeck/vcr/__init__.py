"""What tests import as `vcr` where vcrpy is not installed: cassettes of vcrpy, read and written in place.

`register` makes the name `vcr` available. An installed vcrpy keeps it.
"""

from __future__ import annotations

from .config import VCR
from .record_mode import RecordMode
from .record_mode import RecordMode as mode
from .request import Request

default_vcr = VCR()
use_cassette = default_vcr.use_cassette

__all__ = ["VCR", "RecordMode", "Request", "default_vcr", "mode", "use_cassette"]
