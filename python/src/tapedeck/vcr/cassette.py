"""Cassettes: which recorded response answers a request, and which new interactions are written."""

from __future__ import annotations

import collections
import contextlib
import copy
import inspect
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from .. import tally
from .errors import (
    CannotOverwriteExistingCassetteException,
    MissingMetadataError,
    UnhandledHTTPRequestError,
)
from .interactions import Interaction, Response
from .matchers import MATCHERS, Matcher, differing, explain_differences, requests_match
from .persisters.filesystem import CassetteNotFoundError
from .record_mode import RecordMode
from .request import Request

_DEFAULT_MATCHERS = tuple(MATCHERS[name] for name in ("method", "scheme", "host", "port", "path", "query"))
_active: list[Cassette] = []


def current() -> Cassette | None:
    """Returns the cassette that answers requests now: the innermost that is in use."""
    return _active[-1] if _active else None


@contextlib.contextmanager
def suspended() -> Iterator[None]:
    """No cassette is in use meanwhile."""
    kept = _active[:]
    _active.clear()
    try:
        yield
    finally:
        _active[:0] = kept


def _same(value: Any) -> Any:
    return value


@dataclass
class Settings:
    """How a cassette is used, as `VCR.use_cassette` reads its options."""

    path: str
    serializer: Any
    persister: Any
    record_mode: RecordMode = RecordMode.NONE
    match_on: Sequence[Matcher] = _DEFAULT_MATCHERS
    before_record_request: Callable[[Request], Request | None] = _same
    before_record_response: Callable[[Response], Response | None] = _same
    before_save: Sequence[Callable[..., Interaction | None]] = ()
    after_load: Sequence[Callable[..., Interaction | None]] = ()
    allow_playback_repeats: bool = False
    drop_unused_requests: bool = False
    record_on_exception: bool = True
    #: Whether requests that are not found may be sent and recorded.
    records: bool = False
    #: Whether the cassette takes those to providers as well, rather than Tapedeck's own recordings.
    takes_calls: bool = False
    #: How the user records what is missing.
    record_command: str = field(default="")


class Cassette:
    """The interactions of one file, or of several that a marker names. Fixtures give it to tests."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.record_mode = settings.record_mode
        self.data: list[Interaction] = []
        self._metadata: dict[str, Any] = {}
        self.play_counts: collections.Counter[int] = collections.Counter()
        self.dirty = False
        self.rewound = False
        self._lock = threading.Lock()
        self._loaded = self._unsaved = 0

    # ---- use ----

    def __enter__(self) -> Cassette:
        self._load()
        _active.append(self)
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        _active.remove(self)
        if kind is None or self.settings.record_on_exception:
            self._save()

    # ---- what tests read ----

    @property
    def path(self) -> str:
        return self.settings.path

    _path = path

    @property
    def play_count(self) -> int:
        return sum(self.play_counts.values())

    @property
    def all_played(self) -> bool:
        return len(self.play_counts) == len(self.data)

    @property
    def requests(self) -> list[Request]:
        return [request for request, _ in self.data]

    @property
    def responses(self) -> list[Response]:
        return [response for _, response in self.data]

    @property
    def write_protected(self) -> bool:
        return (self.rewound and self.record_mode == RecordMode.ONCE) or self.record_mode == RecordMode.NONE

    def __len__(self) -> int:
        return len(self.data)

    def __contains__(self, request: Request) -> bool:
        filtered = self.filter_request(request)
        return filtered is not None and self._find(filtered) is not None

    def rewind(self) -> None:
        self.play_counts.clear()

    def responses_of(self, request: Request) -> list[Response]:
        filtered = self.filter_request(request)
        found = [
            response
            for recorded, response in self.data
            if filtered is not None and requests_match(filtered, recorded, self.settings.match_on)
        ]
        if not found:
            raise UnhandledHTTPRequestError(f"The cassette {self.path} has no response to {request!r}.")
        return found

    def find_requests_with_most_matches(self, request: Request) -> list[tuple[Request, list[str], list[Any]]]:
        """Returns the nearest requests, each with the names of the matchers that agree and the differences."""
        filtered = self.filter_request(request)
        if filtered is None:
            return []
        names = [matcher.__name__ for matcher in self.settings.match_on]
        found = []
        for recorded, _ in self.data:
            differences = explain_differences(filtered, recorded, self.settings.match_on)
            agreeing = [name for name in names if name not in dict(differences)]
            found.append((recorded, agreeing, differences))
        most = max((len(agreeing) for _, agreeing, _ in found), default=0)
        return [one for one in found if most and len(one[1]) == most]

    def get_metadata(self, key: str, default: Any) -> Any:
        """Returns the value that the cassette keeps under a key; keeps the default if it has none and may take it."""
        if key not in self._metadata:
            if self.write_protected or not self.settings.records:
                why = f"The cassette {self.path} has no metadata {key!r}. Record it: {self.settings.record_command}"
                raise MissingMetadataError(why, cassette=self)
            self._metadata[key] = default
            self.dirty = True
        return self._metadata[key]

    # ---- requests ----

    def filter_request(self, request: Request) -> Request | None:
        """Returns the request as it is compared and written; None if the cassette is to leave it alone."""
        return self.settings.before_record_request(request.copy())

    def can_play_response_for(self, request: Request) -> bool:
        return self.record_mode != RecordMode.ALL and request in self

    def play_response(self, request: Request) -> Response:
        filtered = self.filter_request(request)
        response = None if filtered is None else self._play(filtered)
        if response is None:
            raise UnhandledHTTPRequestError(f"The cassette {self.path} has no response to {request!r}.")
        return response

    def answer(self, request: Request, is_served: bool) -> Response | None:
        """Returns the recorded response to a request; None if the request goes on to the network.

        `is_served`: whether Tapedeck's server takes it there. Raises CannotOverwriteExistingCassetteException if it may
        not go on.
        """
        filtered = self.filter_request(request)
        if filtered is None:
            return None
        is_replaced = self.settings.records and self.record_mode == RecordMode.ALL
        response = None if is_replaced else self._play(filtered)
        if response is not None:
            tally.note_replayed(self.path)
            return response
        if self.takes(request, is_served):
            return None
        if is_served and self.settings.records:
            return None
        why = self._why_missing(filtered)
        if is_served:
            tally.note_missing(why)
            return None
        raise CannotOverwriteExistingCassetteException(why, cassette=self, failed_request=request)

    def takes(self, request: Request, is_served: bool) -> bool:
        """Whether a request that is not found is sent and written into this cassette."""
        settings = self.settings
        if self.write_protected or not settings.records or (is_served and not settings.takes_calls):
            return False
        return self.filter_request(request) is not None

    def append(self, request: Request, response: Response) -> None:
        """Adds an interaction that was made just now."""
        filtered = self.filter_request(request)
        kept = None if filtered is None else self.settings.before_record_response(copy.deepcopy(response))
        if filtered is None or kept is None:
            return
        with self._lock:
            self.play_counts[len(self.data)] += 1
            self.data.append((filtered, kept))
            self.dirty = True
            self._unsaved += 1

    def _find(self, request: Request) -> int | None:
        for index, (recorded, _) in enumerate(self.data):
            is_open = self.play_counts[index] == 0 or self.settings.allow_playback_repeats
            if is_open and requests_match(request, recorded, self.settings.match_on):
                return index
        return None

    def _play(self, request: Request) -> Response | None:
        with self._lock:
            index = self._find(request)
            if index is None:
                return None
            self.play_counts[index] += 1
            return self.data[index][1]

    def _why_missing(self, request: Request) -> str:
        matchers = self.settings.match_on
        nearest: list[str] | None = None
        place = repeats = 0
        for index, (recorded, _) in enumerate(self.data):
            parts = differing(request, recorded, matchers)
            repeats += not parts
            if parts and (nearest is None or len(parts) < len(nearest)):
                nearest, place = parts, index + 1
        what = f"The cassette {os.path.relpath(self.path)} has no response to {request.method} {request.uri}"
        if not self.data:
            why = "it is empty, or does not exist"
        elif repeats:
            why = f"the test makes this request more often than the {repeats} times that were recorded"
        else:
            why = f"the nearest is interaction {place}, which differs in {', '.join(nearest or [])}"
        return f"{what}: {why}. Record it: {self.settings.record_command}"

    # ---- the file ----

    def _load(self) -> None:
        settings = self.settings
        self.data.clear()
        self.play_counts.clear()
        try:
            requests, responses, *metadata = settings.persister.load_cassette(
                settings.path, serializer=settings.serializer
            )
        except (CassetteNotFoundError, FileNotFoundError):
            return
        self._metadata = dict(metadata[0]) if metadata else {}
        for interaction in zip(requests, responses):
            loaded = _run(settings.after_load, interaction, self)
            request = None if loaded is None else self.settings.before_record_request(loaded[0])
            response = None if loaded is None else self.settings.before_record_response(loaded[1])
            if request is not None and response is not None:
                self.data.append((request, response))
        self._loaded, self.rewound = len(self.data), True

    def _save(self) -> None:
        settings = self.settings
        kept = self.data
        if self.record_mode == RecordMode.ALL and self.dirty:
            old, new = self.data[: self._loaded], self.data[self._loaded :]
            is_replaced = [any(requests_match(one, other, settings.match_on) for one, _ in new) for other, _ in old]
            kept = [] if settings.drop_unused_requests else [one for one, gone in zip(old, is_replaced) if not gone]
            kept = kept + new
        elif settings.drop_unused_requests and settings.records:
            kept = [one for index, one in enumerate(self.data) if self.play_counts[index] or index >= self._loaded]
        if not (self.dirty or len(kept) < len(self.data)):
            return
        copies = copy.deepcopy(kept) if settings.before_save else kept
        written = [one for one in (_run(settings.before_save, one, self) for one in copies) if one is not None]
        content: dict[str, Any] = {
            "requests": [request for request, _ in written],
            "responses": [response for _, response in written],
            **({"metadata": self._metadata} if self._metadata else {}),
        }
        try:
            settings.persister.save_cassette(settings.path, content, serializer=settings.serializer)
        except OSError as error:
            raise OSError(
                f"The cassette {settings.path} could not be written: {error.strerror or error}. It was not changed; "
                f"allow writing to its folder and record again: {settings.record_command}"
            ) from error
        if self._unsaved:
            tally.note_recorded(self.path, self._unsaved)
        self.dirty, self._unsaved = False, 0


def _run(hooks: Sequence[Callable[..., Interaction | None]], interaction: Any, cassette: Cassette) -> Any:
    for hook in hooks:
        if interaction is None:
            return None
        interaction = hook(*interaction, cassette) if _takes_cassette(hook) else hook(*interaction)
    return interaction


def _takes_cassette(hook: Callable[..., Any]) -> bool:
    try:
        parameters = list(inspect.signature(hook).parameters.values())
    except (TypeError, ValueError):
        return False
    positional = [one for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    return len(positional) > 2 or any(one.kind is one.VAR_POSITIONAL for one in parameters)
