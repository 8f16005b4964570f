"""The replay server that this process's variables name: proves that it is there, and sends it notes and questions.

Before anything else is sent, the server proves that it knows the token; see server/guard/proof.ts. The connection of the
proof stays open as long as the process, which is how the server learns that a process with tests has ended.
PYTEST_DONT_REWRITE
"""

import os
import sys
import time

from tapedeck_hooks import ENVIRONMENT, STARTED, quietly

HEADER = "x-tapedeck-test"
PLACE, _, TOKEN = ENVIRONMENT.get("TAPEDECK_URL", "").partition("://")[2].partition("/")
HOST, _, PORT = PLACE.partition(":")
_ADDRESS = "127.0.0.1" if HOST == "localhost" else HOST
_PATIENCE = 20  # seconds: a machine may be busy
_GREETING = 0.5  # seconds, for a note that the program does not need
# A bare descriptor: Python warns of a socket object that is still open at the end of the process.
_held = None
_has_complained = _has_reported_tests = _has_ended = False


def is_ours(host, port):
    return str(port) == PORT and host in (HOST, "127.0.0.1", "localhost")


def server_address():
    """Host and port of the replay server. Raises ConnectionRefusedError if another program has the port now."""
    why = trouble()
    if why is not None:
        raise ConnectionRefusedError(why)
    return _ADDRESS, int(PORT)


def trouble(patience=_PATIENCE):
    """Returns why no call may be sent to the replay server, or None. Never raises."""
    global _held
    if _held is not None:
        if _with_held(_is_open):
            return None
        _forget()
    try:
        connection = _connect(patience)
    except OSError:
        if _has_ended:
            return "The session or tape has ended, and its server with it. Make late calls in a fixture or in the tape."
        _complain(
            "Nothing answers at %s: the VS Code window or the command that set this process's variables was closed, "
            "or Tapedeck was turned off there. Start this again from a new terminal." % PLACE
        )
        return None  # the client's own error reports the same
    try:
        if _proves(connection):
            _held = connection.detach()
            return None
    except OSError:
        if patience < _PATIENCE:
            connection.close()
            return "It is busy."
    except Exception:
        pass
    connection.close()
    text = (
        "What answers at %s is not the Tapedeck that set this process's variables, or knows them no longer. "
        "Nothing was sent there. Open a new terminal and start this again." % PLACE
    )
    _complain(text)
    return text


def _connect(patience):
    # The module below `socket`, because tests replace functions of `socket`.
    import _socket

    connection = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
    try:
        connection.settimeout(patience)
        connection.connect((_ADDRESS, int(PORT)))
    except BaseException:
        connection.close()
        raise
    return connection


def _proves(connection):
    import hashlib
    import hmac

    name = hashlib.sha256(("tapedeck id\n" + TOKEN).encode()).hexdigest()[:32]
    nonce = os.urandom(16).hex()
    connection.sendall(_request("GET", "/@proof/%s/%s" % (name, nonce)))
    answer = b""
    while len(answer) < 4096:
        if len(answer.partition(b"\r\n\r\n")[2]) >= 64:
            break
        part = connection.recv(4096)
        if not part:
            return False
        answer += part
        if not answer.startswith(b"HTTP/1.1 200 "[: len(answer)]):
            return False
    text = "tapedeck proof\n%s\n%s" % (PORT, nonce)
    proof = hmac.new(TOKEN.encode(), text.encode(), "sha256").hexdigest()
    return hmac.compare_digest(answer.partition(b"\r\n\r\n")[2], proof.encode())


def _with_held(act):
    """Calls act(socket) with the held connection, which stays open."""
    import _socket

    try:
        connection = _socket.socket(fileno=_held)
    except OSError:
        return False
    try:
        connection.settimeout(0)
        return act(connection)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        connection.detach()


def _is_open(connection):
    while connection.recv(4096):
        pass  # the answer to a note
    return False


def _complain(text):
    global _has_complained
    if not _has_complained:
        _has_complained = True
        quietly(os.write, 2, ("Tapedeck: %s\n" % text).encode())


def expect_end():
    """Has later calls fail with the reason and without a note, because the server ends before this process."""
    global _has_ended
    _has_ended = True


def _forget():
    """Closes the held connection; in a fork as well, so that the server notices the end of its parent."""
    global _held
    if _held is not None:
        import _socket

        quietly(_socket.close, _held)
        _held = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


# ---- notes and questions: src/server/guard-notes.ts, runner-process.ts, cache-notes.ts ----


def _request(method, path, headers=(), body=b""):
    lines = ["%s %s HTTP/1.1" % (method, path), "host: %s" % PLACE]
    lines += ["%s: %s" % header for header in headers if header[1]]
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + body


def _note(path, patience):
    """Sends a note for which the program need not wait."""
    if trouble(patience) is None and _held is not None:
        _with_held(lambda connection: connection.sendall(_request("GET", "/%s/%s" % (TOKEN, path))))


def report_process(tell):
    """Reports that this process started: in the file of `tapedeck run`, or else to the server, which costs a connection."""
    if isinstance(tell, str):
        quietly(_append, tell, "%d %s\n" % (os.getpid(), _command()))
    else:
        quietly(_note, "@guard/hello?" + _process(), _GREETING)


def _append(file, line):
    with open(file, "a", encoding="utf-8") as notes:
        notes.write(line)


def report_tests(runner):
    """Reports once that tests run in this process."""
    global _has_reported_tests
    if not _has_reported_tests:
        _has_reported_tests = True
        quietly(_note, "@tests?runner=%s&age=%d" % (runner, (time.monotonic() - STARTED) * 1000), _PATIENCE)


def ask(path, patience, test=None, body=None):
    """Returns the server's answer, or b"" if there is none. Never raises."""
    try:
        if trouble() is not None:
            return b""
        headers = [("connection", "close"), (HEADER, test)]
        if body is not None:
            headers += [("content-type", "application/json"), ("content-length", len(body))]
        connection = _connect(patience)
        try:
            method = "GET" if body is None else "POST"
            connection.sendall(_request(method, "/%s/%s" % (TOKEN, path), headers, body or b""))
            answer = part = connection.recv(4096)
            while part:
                part = connection.recv(4096)
                answer += part
            return answer
        finally:
            connection.close()
    except Exception:
        return b""


def ask_guard(what, test=None, **values):
    return ask("@guard/%s?%s" % (what, _process(**values)), 2, test)


def _process(**values):
    values = dict(values, pid=os.getpid(), command=_command())
    return "&".join("%s=%s" % (name, _escape(str(value))) for name, value in values.items())


def _escape(text):
    """As urllib.parse.quote, which takes long to load."""
    return "".join(chr(byte) if chr(byte).isalnum() and byte < 128 else "%%%02X" % byte for byte in text.encode())


def _command():
    """What runs here, without the folders of its program and file."""
    words = getattr(sys, "orig_argv", None) or [sys.executable or "python"] + sys.argv[:1]
    file = words[1] if len(words) > 1 else ""
    if file == "-m" and len(words) > 2:
        file = "-m " + words[2]
    elif os.path.isabs(file):
        file = os.path.relpath(file)
    return (os.path.basename(words[0]) + " " + file).strip()
