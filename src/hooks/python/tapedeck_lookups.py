"""Names that a program looks up by hand: which address means which provider, where TLS says no name.

PYTEST_DONT_REWRITE
"""

import tapedeck_guard as guard
from tapedeck_attribution import wrap


def _getaddrinfo(original):
    def getaddrinfo(host, port, *args, **named):
        # Whoever comes here opens the connection in a way that we do not know.
        if guard.is_provider(host, port if isinstance(port, int) else None) and not guard._is_faked():
            guard.pass_by(host, port, "its client opens connections in a way of its own")
            return original(host, port, *args, **named)
        found = original(host, port, *args, **named)
        guard.looked_up(host, [place[4][0] for place in found])
        return found

    return getaddrinfo


def _gethostbyname(original):
    def gethostbyname(host):
        found = original(host)
        guard.looked_up(host, [found] if isinstance(found, str) else found[2])
        return found

    return gethostbyname


def _lookups(module):
    for name, make in (
        ("getaddrinfo", _getaddrinfo),
        ("gethostbyname", _gethostbyname),
        ("gethostbyname_ex", _gethostbyname),
    ):
        if hasattr(module, name):
            wrap(module, name, make)


HOOKS = {name: _lookups for name in ("socket", "gevent.socket", "eventlet.green.socket")}
