"""A project of its own for each test, and a provider on this machine that its calls can be recorded from."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

#: Without a cache, and without a plugin whose import takes as long as pytest's own.
PLUGINS = ("-p", "no:cacheprovider", "-p", "no:anyio")

_FOREIGN = ("TAPEDECK_", "PYTEST_", "OPENAI_", "NODE_OPTIONS", "PYTHONPATH", "CI", "GITHUB_", "UV", "VIRTUAL_ENV")


class Provider(ThreadingHTTPServer):
    """Answers chat completions with the last message in capital letters, and counts its calls."""

    calls = 0
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"


class _Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        assert isinstance(self.server, Provider)
        self.server.calls += 1
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        message = {"role": "assistant", "content": asked["messages"][-1]["content"].upper()}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        body = json.dumps({"id": "c", "object": "chat.completion", "model": asked["model"], "choices": [choice]})
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="session")
def _server() -> Iterator[Provider]:
    server = Provider()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()


@pytest.fixture
def provider(_server: Provider) -> Provider:
    _server.calls = 0
    return _server


class Project:
    """A folder with tests. `ask(text)` in its module `asking` makes a call to OpenAI's address."""

    def __init__(self, folder: Path, provider: Provider) -> None:
        self.folder = folder
        self.provider = provider
        self.write("asking.py", ASKING)

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
        return path

    def environment(self, **variables: str) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(_FOREIGN)}
        return {**kept, "PYTHONDONTWRITEBYTECODE": "1", "XDG_STATE_HOME": str(self.folder / ".state"), **variables}

    def python(self, *words: str, folder: Path | None = None, **variables: str) -> subprocess.CompletedProcess[str]:
        return self.run([sys.executable, *words], folder, **variables)

    def run(
        self, words: Sequence[str], folder: Path | None = None, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            words,
            cwd=folder or self.folder,
            env=self.environment(**variables),
            capture_output=True,
            text=True,
            timeout=300,
        )

    def pytest(self, *words: str, **variables: str) -> Result:
        done = self.python("-m", "pytest", *PLUGINS, *words, **variables)
        return Result(done.returncode, done.stdout + done.stderr)

    def record(self, *words: str) -> Result:
        return self.pytest("--tapedeck=record", *words, OPENAI_API_KEY="key", OPENAI_BASE_URL=self.provider.url + "/v1")


class Result:
    def __init__(self, code: int, output: str) -> None:
        self.code = code
        self.output = output

    def counts(self) -> dict[str, int]:
        """The outcomes of the tests, by pytest's words, and of the calls, by Tapedeck's."""
        found = re.findall(r"(\d+) (passed|failed|errors?|skipped|replayed|recorded|missing)\b", self.output)
        return {word: int(count) for count, word in found}

    def __repr__(self) -> str:
        return f"exit code {self.code}\n{self.output}"


@pytest.fixture
def project(tmp_path: Path, provider: Provider) -> Project:
    return Project(tmp_path.resolve(), provider)


#: A proxy where nothing listens: what is replayed needs none.
PROXIES = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), "http://127.0.0.1:9")

ASKING = """
    import json, os, urllib.request

    def ask(text):
        base = os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1")
        body = json.dumps({"model": "gpt-4o-mini", "messages": [{"role": "user", "content": text}]}).encode()
        headers = {"content-type": "application/json", "authorization": "Bearer " + os.environ.get("OPENAI_API_KEY", "")}
        request = urllib.request.Request(base + "/chat/completions", body, headers)
        with urllib.request.urlopen(request, timeout=60) as reply:
            return json.load(reply)["choices"][0]["message"]["content"]
"""
