"""Counts what cassettes answered in this process, for the summary of a session."""

from __future__ import annotations

import threading
import warnings
from collections import Counter
from typing import Any

_lock = threading.Lock()
replayed: Counter[str] = Counter()  # by cassette
recorded: Counter[str] = Counter()
missing: Counter[str] = Counter()  # by the sentence that says what is missing
opened: set[str] = set()
without_effect: set[str] = set()  # sentences that name what Tapedeck leaves out of vcrpy, and why
is_shown = False  # whether a summary will show all this


def note_replayed(path: str) -> None:
    with _lock:
        replayed[path] += 1


def note_recorded(path: str, count: int) -> None:
    with _lock:
        recorded[path] += count


def note_missing(why: str) -> None:
    with _lock:
        missing[why] += 1


def note_without_effect(what: str, why: str) -> None:
    """Reports something of vcrpy that Tapedeck does not do: in the summary, otherwise as a warning."""
    text = f"{what} has no effect: {why}."
    with _lock:
        is_new = text not in without_effect
        without_effect.add(text)
    if is_new and not is_shown:
        warnings.warn(f"tapedeck: {text}", UserWarning, stacklevel=3)


def take() -> dict[str, Any]:
    """Returns the counts since the last call in plain values, for another process."""
    with _lock:
        counts = {
            "replayed": dict(replayed),
            "recorded": dict(recorded),
            "missing": dict(missing),
            "opened": sorted(opened),
            "without_effect": sorted(without_effect),
        }
        for counter in (replayed, recorded, missing, opened):
            counter.clear()
    return counts


def add(counts: dict[str, Any]) -> None:
    """Adds the counts of another process."""
    replayed.update(counts["replayed"])
    recorded.update(counts["recorded"])
    missing.update(counts["missing"])
    opened.update(counts["opened"])
    without_effect.update(counts["without_effect"])


def counts() -> dict[str, int]:
    """Returns how many requests cassettes replayed, recorded, and missed."""
    return {"replayed": replayed.total(), "recorded": recorded.total(), "missing": missing.total()}


def lines() -> list[str]:
    """Returns the lines of the summary; [] if no cassette was used."""
    found = []
    if replayed:
        found.append(f"{replayed.total():,} replayed from {_plural(len(replayed), 'cassette')}")
    if recorded:
        found.append(f"{recorded.total():,} recorded into {_plural(len(recorded), 'cassette')}")
    for why, times in missing.items():
        found.append(f"✘ {why}{f' ({times} times)' if times > 1 else ''}")
    return [*found, *sorted(without_effect)]


def _plural(count: int, word: str) -> str:
    return f"{count:,} {word}{'' if count == 1 else 's'}"
