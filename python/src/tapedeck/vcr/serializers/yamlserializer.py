"""Cassettes as YAML. The parser is loaded with the first cassette, because most sessions read none."""

from __future__ import annotations

import functools
from typing import Any

_DATES = "tag:yaml.org,2002:timestamp"


@functools.cache
def _make_loader() -> Any:
    """Reads what recorders write: tags of languages are the plain values that they stand before, dates are texts."""
    import yaml

    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    resolvers = {
        first: [(tag, form) for tag, form in pairs if tag != _DATES]
        for first, pairs in base.yaml_implicit_resolvers.items()
    }
    loader = type("Loader", (base,), {"yaml_implicit_resolvers": resolvers})

    def read_plain(loader: Any, _tag: str, node: Any) -> Any:
        if isinstance(node, yaml.MappingNode):
            return loader.construct_mapping(node, deep=True)
        if isinstance(node, yaml.SequenceNode):
            return loader.construct_sequence(node, deep=True)
        return loader.construct_scalar(node)

    loader.add_multi_constructor("tag:yaml.org,2002:python/", read_plain)
    loader.add_multi_constructor("!", read_plain)
    return loader


def deserialize(cassette_string: str) -> Any:
    """Raises yaml.YAMLError with the line where the text is not YAML."""
    import yaml

    return yaml.load(cassette_string, Loader=_make_loader())


def serialize(cassette_dict: Any) -> str:
    import yaml

    dumper: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    return str(yaml.dump(cassette_dict, Dumper=dumper, allow_unicode=True))
