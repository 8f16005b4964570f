"""`VCR`: the options of cassettes, by vcrpy's names."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .. import tally
from . import filters
from .cassette import Cassette, Settings
from .clients import watch_clients
from .matchers import MATCHERS, Matcher
from .persisters.filesystem import FilesystemPersister
from .record_mode import RecordMode
from .request import Request
from .serializers import jsonserializer, yamlserializer

_DEFAULTS: dict[str, Any] = {
    "path_transformer": None,
    "before_record_request": None,
    "before_record_response": None,
    "before_save_interaction": None,
    "after_load_interaction": None,
    "filter_sensitive_data": (),
    "filter_headers": (),
    "filter_query_parameters": (),
    "filter_post_data_parameters": (),
    "filter_nested_post_data_parameters": False,
    "ignore_hosts": (),
    "ignore_localhost": False,
    "record_mode": RecordMode.ONCE,
    "match_on": ("method", "scheme", "host", "port", "path", "query"),
    "additional_matchers": (),
    "inject_cassette": False,
    "serializer": "yaml",
    "persister": None,
    "cassette_library_dir": None,
    "func_path_generator": None,
    "decode_compressed_response": False,
    "record_on_exception": True,
    "drop_unused_requests": False,
    "allow_playback_repeats": False,
}
_UNSUPPORTED = {
    "custom_patches": "Tapedeck changes clients itself and takes no patches",
    "skip_patchers": "Tapedeck changes each client once, not for each cassette",
}
# Options of pytest-recording beside those of vcrpy.
_OTHERS = frozenset(("allowed_hosts", "path", "before_record"))


def report_unsupported(options: Iterable[str]) -> None:
    """Reports options that have no effect, once each, with the reason."""
    for name in options:
        if name not in _DEFAULTS and name not in _OTHERS:
            why = _UNSUPPORTED.get(name, "vcrpy has no such option that Tapedeck knows of")
            tally.note_without_effect(f"The option {name} of cassettes", why)


class VCR:
    """Opens cassettes with options that they have in common."""

    #: Set by the pytest plugin: `Settings.records` and `Settings.takes_calls` of all cassettes, and how the user records.
    session: tuple[bool, bool] | None = None
    record_command = 'vcr.use_cassette(…, record_mode="new_episodes")'

    def __init__(self, **options: Any) -> None:
        self._options = {**_DEFAULTS, **_renamed(options)}
        report_unsupported(options)
        self.serializers: dict[str, Any] = {"yaml": yamlserializer, "json": jsonserializer}
        self.matchers: dict[str, Matcher] = dict(MATCHERS)
        self.persister: Any = FilesystemPersister

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["_options"][name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _DEFAULTS and name != "persister":
            self._options[name] = value
        else:
            super().__setattr__(name, value)

    @staticmethod
    def ensure_suffix(suffix: str) -> Callable[[Any], str]:
        """Returns a path transformer that adds an ending where it is missing."""
        return lambda path: os.fspath(path) if os.fspath(path).endswith(suffix) else os.fspath(path) + suffix

    def register_serializer(self, name: str, serializer: Any) -> None:
        self.serializers[name] = serializer

    def register_matcher(self, name: str, matcher: Matcher) -> None:
        self.matchers[name] = matcher

    def register_persister(self, persister: Any) -> None:
        self.persister = persister

    def use_cassette(self, path: Any = None, **options: Any) -> Any:
        """Returns a context manager that is a decorator as well. Without a path the decorated function names it."""
        report_unsupported(options)
        if callable(path) and not isinstance(path, os.PathLike):
            return _Use(self, None, options)(path)
        return _Use(self, path, options)

    def test_case(self, predicate: Callable[[str, Any], bool] | None = None) -> type:
        """Returns a base class whose test methods have a cassette each, named after them."""
        is_test = predicate or (lambda name, value: name.startswith("test") and inspect.isfunction(value))
        use_cassette = self.use_cassette

        class Recorded:
            def __init_subclass__(cls, **named: Any) -> None:
                super().__init_subclass__(**named)
                for name, value in list(vars(cls).items()):
                    if is_test(name, value):
                        setattr(cls, name, use_cassette(value))

        return Recorded

    def settings(self, path: Any, options: Mapping[str, Any], function: Any = None) -> Settings:
        """Puts the options of a cassette together. Raises KeyError for an unknown serializer or matcher."""
        merged = {**self._options, **_renamed(options)}
        mode = RecordMode(merged["record_mode"])
        records, takes_calls = self.session or (True, True)
        saving, loading = _listed(merged["before_save_interaction"]), _listed(merged["after_load_interaction"])
        if merged["filter_sensitive_data"]:
            hide, restore = filters.sensitive_data_hooks(merged["filter_sensitive_data"])
            saving, loading = [*saving, hide], [restore, *loading]
        names = (*merged["match_on"], *merged["additional_matchers"])
        return Settings(
            path=self._path(path, merged, function),
            serializer=_named(self.serializers, merged["serializer"], "serializer"),
            persister=merged["persister"] or self.persister,
            record_mode=mode,
            match_on=[_named(self.matchers, name, "matcher") for name in names],
            before_record_request=_request_filter(merged),
            before_record_response=_response_filter(merged),
            before_save=saving,
            after_load=loading,
            allow_playback_repeats=bool(merged["allow_playback_repeats"]),
            drop_unused_requests=bool(merged["drop_unused_requests"]),
            record_on_exception=bool(merged["record_on_exception"]),
            records=mode != RecordMode.NONE and records,
            takes_calls=takes_calls,
            record_command=self.record_command,
        )

    def _path(self, path: Any, merged: Mapping[str, Any], function: Any) -> str:
        library = merged["cassette_library_dir"]
        if path is None:
            generate = merged["func_path_generator"]
            if generate:
                path = generate(function)
            elif library:
                path = function.__name__
            else:
                path = os.path.join(os.path.dirname(inspect.getfile(function)), function.__name__)
        path = os.fspath(path)
        if library and not path.startswith(os.fspath(library)):
            path = os.path.join(os.fspath(library), path)
        return str(os.fspath(merged["path_transformer"](path))) if merged["path_transformer"] else str(path)


class _Use:
    """A cassette in use: a context manager, and a decorator of functions and coroutine functions."""

    def __init__(self, vcr: VCR, path: Any, options: Mapping[str, Any]) -> None:
        self.vcr, self.path, self.options = vcr, path, options
        self._entered: list[Cassette] = []

    def __enter__(self) -> Cassette:
        return self._begin(None)

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self._entered.pop().__exit__(kind, error, trace)

    def _begin(self, function: Any) -> Cassette:
        watch_clients()
        cassette = Cassette(self.vcr.settings(self.path, self.options, function))
        self._entered.append(cassette)
        try:
            return cassette.__enter__()
        except BaseException:
            self._entered.pop()
            raise

    def __call__(self, function: Any) -> Any:
        wrapped = self._wrapped(function)
        if self.options.get("inject_cassette", self.vcr.inject_cassette):
            # Without the parameter for the cassette, which pytest would take for a fixture.
            signature = inspect.signature(function)
            parameters = list(signature.parameters.values())
            del parameters[_is_method(function)]
            wrapped.__signature__ = signature.replace(parameters=parameters)
        return wrapped

    def _wrapped(self, function: Any) -> Any:
        injects = self.options.get("inject_cassette", self.vcr.inject_cassette)

        def begin(args: tuple[Any, ...]) -> tuple[_Use, tuple[Any, ...]]:
            use = _Use(self.vcr, self.path, self.options)
            cassette = use._begin(function)
            at = int(_is_method(function))
            return use, (*args[:at], cassette, *args[at:]) if injects else args

        if inspect.iscoroutinefunction(function):

            async def run_async(*args: Any, **named: Any) -> Any:
                use, args = begin(args)
                with _Ending(use):
                    return await function(*args, **named)

            return functools.wraps(function)(run_async)

        if inspect.isasyncgenfunction(function):

            async def generate_async(*args: Any, **named: Any) -> Any:
                use, args = begin(args)
                with _Ending(use):
                    async for value in function(*args, **named):
                        yield value

            return functools.wraps(function)(generate_async)

        if inspect.isgeneratorfunction(function):

            def generate(*args: Any, **named: Any) -> Any:
                use, args = begin(args)
                with _Ending(use):
                    return (yield from function(*args, **named))

            return functools.wraps(function)(generate)

        def run(*args: Any, **named: Any) -> Any:
            use, args = begin(args)
            with _Ending(use):
                return function(*args, **named)

        return functools.wraps(function)(run)


def _is_method(function: Any) -> bool:
    return next(iter(inspect.signature(function).parameters), "") in ("self", "cls")


class _Ending:
    """Ends a cassette that has begun."""

    def __init__(self, use: _Use) -> None:
        self.use = use

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self.use.__exit__(kind, error, trace)


def _renamed(options: Mapping[str, Any]) -> dict[str, Any]:
    renamed = {"before_record": "before_record_request"}
    return {renamed.get(name, name): value for name, value in options.items()}


def _named(known: Mapping[str, Any], name: str, what: str) -> Any:
    if name not in known:
        raise KeyError(f"The {what} {name} is neither built in nor registered. Known are {', '.join(known)}.")
    return known[name]


def _listed(given: Any) -> list[Any]:
    return [] if given is None else list(given) if isinstance(given, Iterable) else [given]


def _request_filter(options: Mapping[str, Any]) -> Callable[[Request], Request | None]:
    steps: list[Callable[[Request], Request | None]] = []
    for name, replace in (
        ("filter_headers", filters.replace_headers),
        ("filter_query_parameters", filters.replace_query_parameters),
    ):
        if options[name]:
            steps.append(functools.partial(replace, replacements=filters.replacements_of(options[name])))
    if options["filter_post_data_parameters"]:
        given = filters.replacements_of(options["filter_post_data_parameters"])
        recursive = bool(options["filter_nested_post_data_parameters"])
        steps.append(functools.partial(filters.replace_body_parameters, replacements=given, recursive=recursive))
    hosts = {*options["ignore_hosts"], *(filters.LOCAL_HOSTS if options["ignore_localhost"] else ())}
    if hosts:
        steps.append(filters.ignore_hosts(hosts))
    return _chained([*steps, *_listed(options["before_record_request"])])


def _response_filter(options: Mapping[str, Any]) -> Callable[[Any], Any]:
    decode = [filters.decode_response] if options["decode_compressed_response"] else []
    return _chained([*decode, *_listed(options["before_record_response"])])


def _chained(steps: list[Callable[[Any], Any]]) -> Callable[[Any], Any]:
    """Returns the steps as one, which ends with the first that gives None."""

    def apply(value: Any) -> Any:
        for step in steps:
            if value is None:
                return None
            value = step(value)
        return value

    return apply
