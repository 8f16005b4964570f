"""Has contexts of TLS read a bundle of certificates with their first connection, if the process has read it before.

Clients read about 150 certificates for each context, which takes 10 to 20 ms, and connect to the replay server without
TLS. The first context reads the bundle at once, so that the program gets the errors of a bad one. PYTEST_DONT_REWRITE
"""

import _thread
import os
import weakref

from tapedeck_hooks import wrap

_SMALLEST = 65536  # bytes: others are a test's own, which it may remove before it connects
_read = set()  # bundles that a context has read, with their states
_unread = weakref.WeakKeyDictionary()  # a context: the files that it has not read yet
_lock = _thread.allocate_lock()


def hook_ssl(module):
    context = module.SSLContext
    for name in ("_wrap_socket", "_wrap_bio", "cert_store_stats", "get_ca_certs"):
        wrap(context, name, _complete)
    wrap(context, "load_verify_locations", _read_later)


def _read_later(original):
    def load_verify_locations(self, cafile=None, capath=None, cadata=None):
        bundle = _state(cafile) if cadata is None and (capath is None or type(capath) is str) else None
        if bundle in _read:
            _unread.setdefault(self, {})[cafile, capath] = original
            return
        original(self, cafile, capath, cadata)
        if bundle is not None:
            _read.add(bundle)

    return load_verify_locations


def _state(file):
    try:
        found = os.stat(file)
    except (OSError, TypeError, ValueError):
        return None
    is_bundle = found.st_size >= _SMALLEST
    return (os.path.abspath(file), found.st_ino, found.st_size, found.st_mtime_ns) if is_bundle else None


def _complete(original):
    def call(self, *args, **named):
        if self in _unread:
            with _lock:  # another thread may be reading them
                for paths, load in _unread.get(self, {}).items():
                    load(self, *paths)
                _unread.pop(self, None)
        return original(self, *args, **named)

    return call
