"""A request as cassettes hold it, with the attributes that vcrpy's hooks and matchers use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import SplitResult, parse_qsl, urlsplit

_PORTS = {"https": 443, "http": 80}


class Headers(dict[str, Any]):
    """Headers whose names match in any case. A name has one value, the first."""

    def __init__(self, given: Mapping[str, Any] | Iterable[tuple[str, Any]] = ()) -> None:
        super().__init__()
        self._names: dict[str, str] = {}
        for name, value in given.items() if isinstance(given, Mapping) else given:
            if name.lower() not in self._names:
                self[name] = value

    def __setitem__(self, name: str, value: Any) -> None:
        if isinstance(value, (list, tuple)):
            value = value[0] if value else ""
        super().__setitem__(self._names.setdefault(name.lower(), name), value)

    def __getitem__(self, name: str) -> Any:
        return super().__getitem__(self._names[name.lower()])

    def __delitem__(self, name: str) -> None:
        super().__delitem__(self._names.pop(name.lower()))

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.lower() in self._names

    def get(self, name: str, default: Any = None) -> Any:
        return self[name] if name in self else default

    def pop(self, name: str, *default: Any) -> Any:
        if name not in self and default:
            return default[0]
        value = self[name]
        del self[name]
        return value

    def update(self, *args: Any, **named: Any) -> None:
        for name, value in dict(*args, **named).items():
            self[name] = value

    def copy(self) -> Headers:
        return Headers(self)

    def __deepcopy__(self, _memo: Any) -> Headers:
        return Headers(self)


class Request:
    """A method, an address, a body in bytes or None, and headers."""

    def __init__(self, method: str, uri: str, body: Any, headers: Any) -> None:
        self.method = method
        self.uri = uri
        self.body = body
        self.headers = headers

    @property
    def uri(self) -> str:
        return self._uri

    @uri.setter
    def uri(self, uri: str) -> None:
        self._uri = uri
        self._parts: SplitResult | None = None

    @property
    def body(self) -> bytes | None:
        return self._body

    @body.setter
    def body(self, body: Any) -> None:
        if hasattr(body, "read"):
            body = body.read()
        elif body is not None and not isinstance(body, (bytes, bytearray, str)):
            body = b"".join(piece.encode() if isinstance(piece, str) else bytes(piece) for piece in body)
        self._body = body.encode() if isinstance(body, str) else body if body is None else bytes(body)

    @property
    def headers(self) -> Headers:
        return self._headers

    @headers.setter
    def headers(self, headers: Any) -> None:
        self._headers = headers if isinstance(headers, Headers) else Headers(headers or {})

    @property
    def parsed_uri(self) -> SplitResult:
        if self._parts is None:
            self._parts = urlsplit(self._uri)
        return self._parts

    @property
    def scheme(self) -> str:
        return self.parsed_uri.scheme

    @property
    def host(self) -> str | None:
        return self.parsed_uri.hostname

    @property
    def port(self) -> int | None:
        return self.parsed_uri.port or _PORTS.get(self.scheme)

    @property
    def path(self) -> str:
        return self.parsed_uri.path

    @property
    def query(self) -> list[tuple[str, str]]:
        return sorted(parse_qsl(self.parsed_uri.query))

    url = uri
    protocol = scheme
    body_bytes = body

    def copy(self) -> Request:
        """Returns a copy that can be changed without changing this request."""
        return Request(self.method, self.uri, self.body, self.headers.copy())

    def __deepcopy__(self, _memo: Any) -> Request:
        return self.copy()

    def __repr__(self) -> str:
        return f"<Request ({self.method}) {self.uri}>"

    def _to_dict(self) -> dict[str, Any]:
        headers = {name: [value] for name, value in self.headers.items()}
        return {"method": self.method, "uri": self.uri, "body": self.body, "headers": headers}

    @classmethod
    def _from_dict(cls, values: Mapping[str, Any]) -> Request:
        return cls(**values)
