"""Cassettes as YAML."""

from __future__ import annotations

from typing import Any

import yaml

_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_Dumper: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
_DATES = "tag:yaml.org,2002:timestamp"


class _Loader(_Base):  # type: ignore[misc]
    """Reads what recorders write: tags of languages are the plain values that they stand before, dates are texts."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, form) for tag, form in resolvers if tag != _DATES]
    for first, resolvers in _Base.yaml_implicit_resolvers.items()
}


def _plain(loader: Any, _tag: str, node: Any) -> Any:
    if isinstance(node, yaml.MappingNode):
        return loader.construct_mapping(node, deep=True)
    if isinstance(node, yaml.SequenceNode):
        return loader.construct_sequence(node, deep=True)
    return loader.construct_scalar(node)


_Loader.add_multi_constructor("tag:yaml.org,2002:python/", _plain)
_Loader.add_multi_constructor("!", _plain)


def deserialize(cassette_string: str) -> Any:
    """Raises yaml.YAMLError with the line where the text is not YAML."""
    return yaml.load(cassette_string, Loader=_Loader)


def serialize(cassette_dict: Any) -> str:
    return str(yaml.dump(cassette_dict, Dumper=_Dumper, allow_unicode=True))
