"""Records the LLM calls that tests make, and replays them.

With pytest nothing has to be imported: `pytest --tapedeck=record` records, `pytest` replays. Everywhere else::

    import tapedeck

    with tapedeck.tape("strict"):
        client.chat.completions.create(...)
"""

from __future__ import annotations

from importlib import metadata as _metadata

from .program import ProgramError
from .server import MODES
from .tape import Tape, tape

try:
    __version__ = _metadata.version("llm-tapedeck")
except _metadata.PackageNotFoundError:  # a checkout on PYTHONPATH
    __version__ = "0"

__all__ = ["MODES", "ProgramError", "Tape", "__version__", "tape"]
