"""Asks the replay server who it is before anything is sent there; see javascript/connections.cjs.

PYTEST_DONT_REWRITE
"""

import os

_PATIENCE = 20  # seconds: a machine may be busy
_GREETING = 0.5  # a process that only says that it is there waits no longer for a server that is busy
# The descriptor of the connection over which it was proved: as long as it is open, that holds. A socket object would be
# warned of at the end of the process.
_held = None
_is_told = False


def trouble(host, port, token, greets=False):
    """Why no call may be sent to this server; None where it may. Never raises. `greets`: nobody waits for it."""
    global _held
    if _held is not None:
        if _is_open(_held):
            return None
        _held = None
    try:
        connection = connected(host, port, _GREETING if greets else _PATIENCE)
    except OSError:
        _tell(
            "Nothing answers at %s:%s: the VS Code window or the command that set this process's variables was closed, "
            "or Tapedeck was turned off there. Start this again from a new terminal." % (host, port)
        )
        return None  # the client's own error says the same
    try:
        if _proves(connection, host, port, token):
            connection.settimeout(_PATIENCE)
            _held = connection.detach()
            return None
    except OSError:
        if greets:
            connection.close()
            return "It is busy."
    except Exception:
        pass
    connection.close()
    text = (
        "What answers at %s:%s is not the Tapedeck that set this process's variables, or knows them no longer. "
        "Nothing was sent there. Open a new terminal and start this again." % (host, port)
    )
    _tell(text)
    return text


def connected(host, port, patience):
    """A connection to the replay server; waits so many seconds for it, and as long for each of its words."""
    # The module below `socket`, in whose place tests may have put something else.
    import _socket

    connection = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
    try:
        connection.settimeout(patience)
        connection.connect(("127.0.0.1" if host == "localhost" else host, int(port)))
    except BaseException:
        connection.close()
        raise
    return connection


def _proves(connection, host, port, token):
    import hashlib
    import hmac

    name = hashlib.sha256(("tapedeck id\n" + token).encode()).hexdigest()[:32]
    nonce = os.urandom(16).hex()
    line = "GET /@proof/%s/%s HTTP/1.1\r\nhost: %s:%s\r\n\r\n" % (name, nonce, host, port)
    connection.sendall(line.encode())
    said = b""
    while len(said) < 4096:
        head, _, body = said.partition(b"\r\n\r\n")
        if len(body) >= 64:
            break
        part = connection.recv(4096)
        if not part:
            return False
        said += part
        if not said.startswith(b"HTTP/1.1 200 "[: len(said)]):
            return False
    text = "tapedeck proof\n%s\n%s" % (port, nonce)
    proof = hmac.new(token.encode(), text.encode(), "sha256").hexdigest()
    return hmac.compare_digest(said.partition(b"\r\n\r\n")[2], proof.encode())


def _is_open(descriptor):
    """Closes one that is open no more."""
    import _socket

    try:
        connection = _socket.socket(fileno=descriptor)
    except OSError:
        return False
    try:
        connection.settimeout(0)
        is_open = connection.recv(1, _socket.MSG_PEEK) != b""
    except BlockingIOError:
        is_open = True
    except OSError:
        is_open = False
    if is_open:
        connection.detach()
    else:
        connection.close()
    return is_open


def _tell(text):
    global _is_told
    if _is_told:
        return
    _is_told = True
    try:
        os.write(2, ("Tapedeck: %s\n" % text).encode())
    except Exception:
        pass
