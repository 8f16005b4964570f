"""Cassettes of vcrpy and pytest-recording are read in place; see docs/python.md."""

from __future__ import annotations

import base64
import gzip
import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import PROXIES, Project

URL = "https://api.example.com/v1/items"


def interaction(text: str, url: str = URL, *, method: str = "GET", **request: Any) -> dict[str, Any]:
    response = {"status": {"code": 200, "message": "OK"}, "headers": {"Content-Type": ["text/plain"]}}
    made = {"method": method, "uri": url, "body": None, "headers": {"accept": ["*/*"]}, **request}
    return {"request": made, "response": {**response, "body": {"string": text}}}


def write_cassette(
    project: Project, name: str, *interactions: dict[str, Any], folder: str = "cassettes/test_it"
) -> Path:
    content = {"version": 1, "interactions": list(interactions)}
    text = json.dumps(content) if name.endswith(".json") else yaml.safe_dump(content)
    return project.write(f"{folder}/{name}", text)


GET = """
import sys

def get(url="https://api.example.com/v1/items", client="urllib", **named):
    if client == "urllib":
        import urllib.request
        request = urllib.request.Request(url, named.get("data"), named.get("headers", {}))
        return urllib.request.urlopen(request, timeout=30).read().decode()
    if client == "requests":
        import requests
        return requests.get(url, timeout=30).text
    if client == "httpx":
        import httpx
        return httpx.get(url, timeout=30).text
    import asyncio
    return asyncio.run({"httpx-async": get_httpx, "aiohttp": get_aiohttp}[client](url))

async def get_httpx(url):
    import httpx
    async with httpx.AsyncClient(timeout=30) as session:
        return (await session.get(url)).text

async def get_aiohttp(url):
    import aiohttp
    async with aiohttp.ClientSession(trust_env=True) as session:
        async with session.get(url) as reply:
            return await reply.text()
"""


@pytest.fixture
def tests(project: Project) -> Project:
    project.write("getting.py", GET)
    return project


def check(project: Project, code: str, *words: str, **variables: str) -> Any:
    head = "import pytest\nfrom getting import get, get_httpx\n"
    path = project.write("test_it.py", "")
    path.write_text(head + "\n".join(line[4:] if line.startswith("    ") else line for line in code.split("\n")))
    return project.pytest(*words, **variables)


@pytest.mark.parametrize("client", ["urllib", "requests", "httpx", "httpx-async", "aiohttp"])
def test_answers_each_client(tests: Project, client: str) -> None:
    package = client.partition("-")[0]
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"needs pip install {package}")
    plain = URL.replace("https", "http")
    write_cassette(tests, "test_one.yaml", interaction("first"), interaction("second"), interaction("plain", plain))
    code = f"""
    @pytest.mark.vcr
    def test_one():
        assert [get(client='{client}') for _ in '12'] == ['first', 'second']
        assert get('{plain}', client='{client}') == 'plain'
    """
    result = check(tests, code, **PROXIES)
    assert result.code == 0, result.output
    assert "3 replayed from 1 cassette" in result.output


@pytest.mark.parametrize("layout", ["json", "gzip", "binary", "base64", "old httpx", "parsed", "langchain", "tags"])
def test_reads_each_layout(tests: Project, layout: str) -> None:
    one = interaction('{"a": 1}')
    name, marks = "test_one.yaml", ""
    if layout == "json":
        name, marks = "test_one.json", "(serializer='json')"
        one["response"]["body"] = {"base64_string": base64.b64encode(b'{"a": 1}').decode()}
    elif layout == "binary":
        one["response"]["body"]["string"] = gzip.compress(b'{"a": 1}')
        one["response"]["headers"]["content-encoding"] = ["gzip"]
    elif layout == "base64":
        one["response"]["body"] = {"encoding": "base64", "string": base64.b64encode(b'{"a": 1}').decode()}
    elif layout == "old httpx":
        one["response"] = {"status_code": 200, "http_version": "HTTP/1.1", "headers": {"content-type": "text/plain"}}
        one["response"]["content"] = '{"a": 1}'
    elif layout == "parsed":
        del one["response"]["body"]
        one["response"]["parsed_body"] = {"a": 1}
    path = write_cassette(tests, name, one)
    if layout == "gzip":
        path.rename(path.with_name("test_one.yaml.gz")).write_bytes(
            gzip.compress(path.with_name("test_one.yaml.gz").read_bytes())
        )
    elif layout == "langchain":
        path.write_text(yaml.safe_dump({"requests": [one["request"]], "responses": [one["response"]]}))
    elif layout == "tags":
        path.write_text(path.read_text().replace("uri: ", "uri: !!python/unicode "))
    client = "requests" if layout == "binary" and importlib.util.find_spec("requests") else "urllib"
    if layout == "binary" and client == "urllib":
        pytest.skip("needs pip install requests")
    result = check(tests, f"@pytest.mark.vcr{marks}\ndef test_one(): assert get(client='{client}') == '{{\"a\": 1}}'\n")
    assert result.code == 0, result.output


def test_knows_marks_fixtures_and_names(tests: Project) -> None:
    write_cassette(tests, "TestClass.test_method[a-b].yaml", interaction("method"))
    write_cassette(tests, "named.yaml", interaction("named"))
    write_cassette(tests, "extra.yaml", interaction("extra", URL + "/extra"))
    write_cassette(tests, "test_extra.yaml", interaction("own"))
    write_cassette(tests, "above.yaml", interaction("elsewhere"), folder="elsewhere")
    code = """
    class TestClass:
        pytestmark = pytest.mark.vcr

        @pytest.mark.parametrize("part", ["a/b"])
        def test_method(self, part, vcr):
            assert get() == "method" and vcr.play_count == 1 and vcr.all_played and len(vcr) == 1
            assert vcr.requests[0].uri == "https://api.example.com/v1/items"

    @pytest.mark.vcr
    @pytest.mark.default_cassette("named")
    def test_named():
        assert get() == "named"

    @pytest.mark.vcr("extra.yaml")
    def test_extra():
        assert get() == "own" and get("https://api.example.com/v1/items/extra") == "extra"

    class TestElsewhere:
        @pytest.fixture(scope="module")
        def vcr_cassette_dir(self): return "elsewhere"

        @pytest.fixture
        def default_cassette_name(self): return "above"

        @pytest.mark.vcr
        def test_above(self): assert get() == "elsewhere"

    def test_unmarked(vcr):
        assert vcr is None
    """
    result = check(tests, code)
    assert result.code == 0, result.output
    assert result.counts()["passed"] == 5


def test_compares_what_match_on_names(tests: Project) -> None:
    tests.write(
        "conftest.py",
        """
        import pytest
        @pytest.fixture(scope="module")
        def vcr_config():
            return {"match_on": ["method", "path", "body"], "filter_headers": [("authorization", "X")],
                    "filter_query_parameters": ["key"], "filter_post_data_parameters": ["secret"]}
    """,
    )
    kind = {"headers": {"Content-Type": ["application/json"]}, "method": "POST"}
    one, two = interaction("one", body='{"n": 1, "m": 0}', **kind), interaction("two", body='{"n": 2, "m": 0}', **kind)
    write_cassette(tests, "test_one.yaml", one, two)
    code = """
    @pytest.mark.vcr
    def test_one():
        named = {"headers": {"Content-Type": "application/json"}}
        assert get("https://other.example.com/v1/items?key=abc", data=b'{"m": 0, "n": 2, "secret": "s"}', **named) == "two"
        assert get(data=b'{"m": 0, "n": 1}', **named) == "one"
    """
    assert check(tests, code).code == 0


def test_runs_the_hooks_of_a_project(tests: Project) -> None:
    tests.write(
        "conftest.py",
        """
        import pytest
        from vcr import VCR
        from vcr.request import Request

        def pytest_recording_configure(config, vcr):
            assert isinstance(vcr, VCR)
            vcr.register_matcher("last", lambda one, other: one.path[-1] == other.path[-1])

        def shorten(request):
            assert isinstance(request, Request)
            if "ignored" in request.path: return None
            request.uri = request.uri.replace("/long", "")
            return request

        def shout(response):
            response["body"]["string"] = response["body"]["string"].upper()
            return response

        @pytest.fixture
        def vcr_config():
            return {"before_record_request": shorten, "before_record_response": shout, "match_on": ["host", "last"],
                    "ignore_hosts": ["other.example.com"]}
    """,
    )
    write_cassette(tests, "test_one.yaml", interaction("one", URL + "/long"), interaction("other", URL + "/x"))
    code = """
    @pytest.mark.vcr
    def test_one(vcr):
        assert get("https://api.example.com/any/s") == "ONE" and get("https://api.example.com/any/x") == "OTHER"
        for url in "https://api.example.com/ignored", "https://other.example.com/":
            with pytest.raises(OSError): get(url)  # it goes to the network, where there is no such host
    """
    result = check(tests, code)
    assert result.code == 0, result.output


def test_use_cassette_of_tests_and_unittest(tests: Project) -> None:
    write_cassette(tests, "own.yaml", interaction("own"), interaction("own again"), folder="data")
    write_cassette(tests, "Case.test_case.yaml", interaction("case"), folder="cassettes")
    code = """
    import vcr
    from vcr.unittest import VCRTestCase

    my_vcr = vcr.VCR(cassette_library_dir="data", record_mode=vcr.mode.NONE, path_transformer=vcr.VCR.ensure_suffix(".yaml"))

    def test_with():
        with my_vcr.use_cassette("own") as cassette:
            assert get() == "own" and cassette.play_count == 1

    @my_vcr.use_cassette("own")
    def test_decorated():
        assert get() == "own"

    @vcr.use_cassette("data/own.yaml", inject_cassette=True)
    def test_injected(cassette):
        assert get() == "own" and len(cassette) == 2

    class Case(VCRTestCase):
        def test_case(self):
            assert get() == "case"
    """
    result = check(tests, code)
    assert result.code == 0, result.output
    assert result.counts()["passed"] == 4


def test_decorates_each_kind_of_function(tests: Project) -> None:
    write_cassette(tests, "own.yaml", interaction("own"), folder="data")
    write_cassette(tests, "test_named.yaml", interaction("named"), folder="data")
    code = """
    import asyncio, unittest
    import vcr

    my_vcr = vcr.VCR(cassette_library_dir="data", path_transformer=vcr.VCR.ensure_suffix(".yaml"))
    own = my_vcr.use_cassette("own")

    @pytest.fixture
    @own
    def answer():
        yield get()

    def test_fixture(answer):
        assert answer == "own"

    @own
    async def ask_twice():
        yield get()
        yield "done"

    def test_coroutines():
        async def both(): return [one async for one in ask_twice()]
        assert asyncio.run(both()) == ["own", "done"]

    class TestInjected:
        @my_vcr.use_cassette("own", inject_cassette=True)
        def test_method(self, cassette, tmp_path):
            assert get() == "own" and cassette.all_played and tmp_path.is_dir()

    class Case(my_vcr.test_case(), unittest.TestCase):
        def test_named(self):
            assert get() == "named"
    """
    result = check(tests, code)
    assert result.code == 0, result.output
    assert result.counts()["passed"] == 4


def test_hides_and_restores_sensitive_data(tests: Project) -> None:
    tests.write("pytest.ini", "[pytest]\ntapedeck_format = vcr\n")
    url = tests.provider.url + "/v1/chat/completions"
    code = CALL % ("from acme", url, "FROM ACME") + """
    @pytest.fixture
    def vcr_config():
        def keep(request, response, cassette):
            assert b"acme" in request.body and cassette.path
            return request, response
        hidden = {"<account>": "acme", "<ACCOUNT>": lambda request, response: "ACME"}
        return {"filter_sensitive_data": hidden, "before_save_interaction": keep, "match_on": ["body"]}
    """
    recorded = check(tests, code, "--record-mode=once")
    assert recorded.code == 0, recorded.output
    text = (tests.folder / "cassettes/test_it/test_call.yaml").read_text()
    assert "acme" not in text.lower() and "FROM <ACCOUNT>" in text
    replayed = check(tests, code)
    assert replayed.code == 0, replayed.output


def test_keeps_metadata_beside_the_interactions(tests: Project) -> None:
    tests.write("pytest.ini", "[pytest]\ntapedeck_format = vcr\n")
    code = """
    @pytest.mark.vcr
    def test_one(vcr):
        assert vcr.get_metadata("time", %s) == 1

    @pytest.mark.vcr
    def test_other(vcr):
        if vcr.record_mode != "none": return
        from vcr.errors import MissingMetadataError
        with pytest.raises(MissingMetadataError, match="Record it"): vcr.get_metadata("time", 2)
    """
    assert check(tests, code % 1, "--record-mode=once").code == 0
    replayed = check(tests, code % 2)
    assert replayed.code == 0, replayed.output


def test_gives_what_persisters_and_patches_import(tests: Project) -> None:
    tests.write(
        "conftest.py",
        """
        import gzip, pathlib
        from vcr.cassette import CassetteNotFoundError
        from vcr.request import Request
        from vcr.serialize import deserialize, serialize
        from vcr.serializers import compat, jsonserializer, yamlserializer
        from vcr.stubs import VCRHTTPResponse, httpx_stubs

        def make(request, **named):
            return Request(request.method, str(request.url).replace("/changed", ""), request.read(), request.headers)

        httpx_stubs._make_vcr_request = make

        class Packed:
            @staticmethod
            def load_cassette(cassette_path, serializer):
                path = pathlib.Path(f"{cassette_path}.packed")
                if not path.exists(): raise CassetteNotFoundError()
                return deserialize(gzip.decompress(path.read_bytes()).decode(), serializer)

            @staticmethod
            def save_cassette(cassette_path, cassette_dict, serializer):
                text = serialize(cassette_dict, serializer)
                pathlib.Path(f"{cassette_path}.packed").write_bytes(gzip.compress(text.encode()))

        def pytest_recording_configure(config, vcr):
            vcr.register_persister(Packed)
    """,
    )
    path = write_cassette(tests, "test_one.yaml", interaction("one"), interaction("two"))
    path.with_name("test_one.yaml.packed").write_bytes(gzip.compress(path.read_bytes()))
    path.unlink()
    code = """
    @pytest.mark.vcr
    def test_one(vcr):
        assert get() == "one"
        pytest.importorskip("httpx")
        assert get("https://api.example.com/v1/items/changed", client="httpx") == "two"
        nearest, *_ = vcr.find_requests_with_most_matches(vcr.requests[0])
        assert nearest[2] == []
    """
    result = check(tests, code)
    assert result.code == 0, result.output


def test_reports_patches_of_internals_once(tests: Project) -> None:
    tests.write("pytest.ini", "[pytest]\nfilterwarnings = error\n")
    tests.write(
        "conftest.py",
        """
        import vcr.stubs.aiohttp_stubs as aiohttp_stubs
        import vcr.patch
        import vcr.stubs.httpcore_stubs
        from http.client import HTTPSConnection
        from unittest import mock
        from vcr.stubs import VCRHTTPSConnection, httpx_stubs
        from vcr.stubs.urllib3_stubs import VCRRequestsHTTPSConnection

        class Connection(VCRHTTPSConnection, HTTPSConnection): pass
        class Other(VCRRequestsHTTPSConnection): pass

        assert not hasattr(aiohttp_stubs.MockClientResponse, "_patched")
        assert isinstance(aiohttp_stubs.MockClientResponse.content, property)
        aiohttp_stubs.MockClientResponse.__init__ = lambda self, *_: None
        original = aiohttp_stubs.record_response
        aiohttp_stubs.record_response = lambda *args: original(*args)
        vcr.patch.CassettePatcherBuilder._aiohttp = lambda self: iter(())
        vcr.stubs.httpcore_stubs._vcr_request = None
        mock.patch("vcr.stubs.aiohttp_stubs.MockStream.set_exception", return_value=None).start()
    """,
    )
    write_cassette(tests, "test_one.yaml", interaction("one"))
    code = """
    import vcr.patch
    from vcr.cassette import current
    @pytest.mark.vcr
    def test_one():
        with vcr.patch.force_reset():
            assert current() is None
        assert get() == "one"
    """
    result = check(tests, code)
    assert result.code == 0, result.output
    assert result.output.count("vcr.patch.CassettePatcherBuilder has no effect: ") == 1, result.output
    assert result.output.count("vcr.stubs.aiohttp_stubs.record_response has no effect: ") == 1, result.output


def test_answers_calls_to_models_of_unknown_providers(tests: Project) -> None:
    pytest.importorskip("requests", reason="needs pip install requests")
    url = "https://models.example.com/v1/embeddings"
    write_cassette(tests, "test_one.yaml", *[interaction(text, url, method="POST") for text in ("one", "two")])
    code = f"""
    import requests
    @pytest.mark.vcr
    def test_one():
        assert [requests.post("{url}", json={{"input": "a"}}, timeout=30).text for _ in "12"] == ["one", "two"]
    """
    result = check(tests, code)
    assert result.code == 0, result.output


def test_gives_a_module_the_vcr_of_pytest_vcr(tests: Project) -> None:
    tests.write(
        "conftest.py",
        """
        import json, pytest

        class Plain:
            serialize = staticmethod(json.dumps)
            deserialize = staticmethod(json.loads)

        @pytest.fixture(scope="module")
        def vcr_config():
            return {"match_on": ["method", "path"]}

        @pytest.fixture(scope="module", autouse=True)
        def registered(vcr):
            vcr.register_serializer("yaml", Plain())
    """,
    )
    write_cassette(tests, "test_marked.json", interaction("one"), folder="cassettes").rename(
        tests.folder / "cassettes/test_marked.yaml"
    )
    write_cassette(tests, "named.json", interaction("two"), folder="cassettes").rename(
        tests.folder / "cassettes/named.yaml"
    )
    code = """
    @pytest.mark.vcr
    def test_marked(vcr_cassette):
        assert get("https://api.example.com/v1/items?page=2") == "one"
        assert vcr_cassette.all_played

    def test_unmarked(vcr):
        with vcr.use_cassette("named.yaml"):
            assert get() == "two"
    """
    for words in ([], ["--vcr-record=none"]):
        result = check(tests, code, *words)
        assert result.code == 0, result.output
    assert check(tests, code, "--disable-vcr", "-k", "marked and not un").code == 1


def test_says_what_a_request_differs_in(tests: Project) -> None:
    write_cassette(tests, "test_one.yaml", interaction("one"))
    result = check(tests, "@pytest.mark.vcr\ndef test_one(): get('https://api.example.com/v1/items?page=2')\n")
    assert result.code == 1
    assert "the nearest is interaction 1, which differs in query" in result.output
    assert f"Record it: {sys.executable} -m pytest --tapedeck=record" in result.output


def test_sends_nothing_that_is_in_no_cassette(tests: Project) -> None:
    code = """
    @pytest.mark.vcr(record_mode="all")
    def test_one():
        from vcr.errors import CannotOverwriteExistingCassetteException
        with pytest.raises(CannotOverwriteExistingCassetteException): get("http://127.0.0.1:%s/")
    """
    assert check(tests, code % tests.provider.server_address[1]).code == 0
    assert tests.provider.calls == 0


CALL = """
    import json, urllib.request

    @pytest.mark.vcr
    def test_call():
        body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "%s"}]}).encode()
        headers = {"content-type": "application/json", "authorization": "Bearer sk-secret"}
        request = urllib.request.Request("%s", body, headers)
        with urllib.request.urlopen(request, timeout=60) as reply:
            assert json.load(reply)["choices"][0]["message"]["content"] == "%s"
"""


@pytest.mark.parametrize("words", [["--record-mode=once"], ["--tapedeck=record"]])
def test_records_into_the_same_file(tests: Project, words: list[str]) -> None:
    tests.write("pytest.ini", "[pytest]\ntapedeck_format = vcr\n")
    url = tests.provider.url + "/v1/chat/completions"
    recorded = check(tests, CALL % ("hi", url, "HI"), *words)
    assert recorded.code == 0, recorded.output
    assert "1 recorded into 1 cassette" in recorded.output
    text = (tests.folder / "cassettes/test_it/test_call.yaml").read_text()
    assert "sk-secret" not in text
    assert yaml.safe_load(text)["interactions"][0]["request"]["uri"] == url
    replayed = check(tests, CALL % ("hi", url, "HI"))
    assert replayed.code == 0, replayed.output
    assert tests.provider.calls == 1
    rewritten = check(tests, CALL % ("ho", url, "HO"), "--record-mode=rewrite")
    assert rewritten.code == 0, rewritten.output
    assert "hi" not in (tests.folder / "cassettes/test_it/test_call.yaml").read_text()


def test_records_calls_beside_the_cassettes(tests: Project) -> None:
    write_cassette(tests, "test_call.yaml", interaction("one"))
    code = CALL % ("hi", "https://api.openai.com/v1/chat/completions", "HI")
    tests.write("pytest.ini", f"[pytest]\ntapedeck_options = --upstream openai={tests.provider.url}\n")
    recorded = check(tests, code, "--tapedeck=record", OPENAI_API_KEY="k")
    assert recorded.code == 0, recorded.output
    assert recorded.counts()["recorded"] == 1
    replayed = check(tests, code)
    assert replayed.code == 0, replayed.output
    assert replayed.counts()["replayed"] == 1
    assert tests.provider.calls == 1


def test_joins_the_mode_of_a_run(tests: Project) -> None:
    write_cassette(tests, "test_call.yaml", interaction("one"))
    code = CALL % ("hi", "https://api.openai.com/v1/chat/completions", "HI")
    check(tests, code, "--tapedeck=off")
    start = "import sys; from tapedeck.program import main; main()"
    words = ["run", "--mode=record", f"--upstream=openai={tests.provider.url}", "--", sys.executable, "-m", "pytest"]
    done = tests.python("-c", start, *words, "-p", "no:cacheprovider", OPENAI_API_KEY="k")
    assert done.returncode == 0, done
    assert "1 recorded" in done.stdout + done.stderr
    assert "has no response" not in done.stdout


@pytest.mark.skipif(importlib.util.find_spec("xdist") is None, reason="needs pip install pytest-xdist")
def test_counts_over_workers_and_names_unused_cassettes(tests: Project) -> None:
    for number in range(4):
        write_cassette(tests, f"test_one[{number}].yaml", interaction("one"))
    unused = write_cassette(tests, "test_gone.yaml", interaction("gone"))
    code = "@pytest.mark.vcr\n@pytest.mark.parametrize('n', range(4))\ndef test_one(n): assert get() == 'one'\n"
    result = check(tests, code, "-n", "2")
    assert result.code == 0, result.output
    assert "4 replayed from 4 cassettes" in result.output
    assert "1 cassette is used by no test (remove with --tapedeck-prune):" in result.output
    assert "unused" not in check(tests, code, "-k", "0").output
    assert unused.exists()
    assert check(tests, code, "--tapedeck-prune").code == 0
    assert not unused.exists()
    assert len(list(unused.parent.iterdir())) == 4


@pytest.mark.skipif(importlib.util.find_spec("xdist") is None, reason="needs pip install pytest-xdist")
def test_counts_what_a_killed_worker_replayed(tests: Project) -> None:
    for number in range(4):
        write_cassette(tests, f"test_one[{number}].yaml", interaction("one"))
    code = """
    @pytest.mark.vcr
    @pytest.mark.parametrize("n", range(4))
    def test_one(n): assert get() == "one"

    def test_killed():
        import os, signal
        os.kill(os.getpid(), signal.SIGKILL)
    """
    result = check(tests, code, "-n", "1")
    assert result.counts() == {"failed": 1, "passed": 4, "replayed": 4}, result.output


def test_blocks_the_network(tests: Project) -> None:
    port = tests.provider.server_address[1]
    code = """
    import asyncio, os, shlex, shutil, socket, subprocess, sys

    def test_refused():
        for reach in (lambda: socket.create_connection(("127.0.0.1", %(port)s), 5), lambda: socket.getaddrinfo("example.com", 80)):
            with pytest.raises(RuntimeError, match="Network is disabled"): reach()
        for place in (("127.0.0.1", 80), ("::1", 80, 0, 0)):
            with pytest.raises(RuntimeError, match="Network is disabled"): socket.getnameinfo(place, 0)
        with pytest.raises(RuntimeError, match="Network is disabled"):
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", 53))

    REACH = "import socket; socket.create_connection(('127.0.0.1', %(port)s), 5); print('reached')"
    STARTS = [
        lambda words: subprocess.run(words, env={"PATH": os.environ["PATH"]}, capture_output=True, text=True).stderr,
        lambda words: os.spawnv(os.P_WAIT, words[0], words) and "Network is disabled",
        lambda words: os.popen(shlex.join(words) + " 2>&1").read(),
    ]

    @pytest.mark.parametrize("start", STARTS)
    def test_subprocess(start):
        assert "Network is disabled" in start([sys.executable, "-c", REACH])

    @pytest.mark.skipif(shutil.which("node") is None, reason="needs Node.js on PATH")
    def test_node():
        code = "require('net').connect({host: '192.0.2.1', port: 9}).on('error', (error) => console.log(error.message))"
        assert "refused" in subprocess.run(["node", "-e", code], capture_output=True, text=True, timeout=60).stdout

    @pytest.mark.block_network(allowed_hosts=["127.0.0.*"])
    def test_allowed():
        socket.create_connection(("127.0.0.1", %(port)s), 5).close()
        assert "reached" in subprocess.run([sys.executable, "-c", REACH], capture_output=True, text=True).stdout

    def test_pycurl():
        pycurl = pytest.importorskip("pycurl")
        handle = pycurl.Curl()
        handle.setopt(handle.URL, "http://127.0.0.1:%(port)s/")
        for reach in (handle.perform, lambda: pycurl.CurlMulti().add_handle(handle)):
            with pytest.raises(RuntimeError, match="Network is disabled"): reach()

    def test_curl_cffi():
        requests = pytest.importorskip("curl_cffi.requests")
        with pytest.raises(RuntimeError, match="Network is disabled"): requests.get("http://127.0.0.1:%(port)s/")

    def test_grpc(tmp_path):
        grpc = pytest.importorskip("grpc")
        for target in ("127.0.0.1:%(port)s", "dns:///example.com:443", "ipv4:127.0.0.1:%(port)s"):
            with pytest.raises(RuntimeError, match="Network is disabled"):
                grpc.insecure_channel(target).unary_unary("/a/b")(b"", timeout=5)
        with pytest.raises(grpc.RpcError):
            grpc.insecure_channel(f"unix:{tmp_path}/none").unary_unary("/a/b")(b"", timeout=5)

    def test_uvloop():
        uvloop = pytest.importorskip("uvloop")
        async def connect(): await asyncio.get_running_loop().create_connection(asyncio.Protocol, "127.0.0.1", %(port)s)
        with pytest.raises(RuntimeError, match="Network is disabled"): uvloop.run(connect())
    """
    for words in ([], ["--tapedeck=strict"]):
        hidden = [] if words else ["--deselect=test_it.py::test_node"]  # without a server, Node has no hooks
        result = check(tests, code % {"port": port}, "--block-network", *words, *hidden)
        assert result.code == 0, result.output


def test_reports_an_option_without_effect_once(tests: Project) -> None:
    write_cassette(tests, "test_one.yaml", interaction("one"))
    code = "@pytest.mark.vcr(custom_patches=())\ndef test_one(): get()\n@pytest.mark.vcr(custom_patches=())\ndef test_two(): pass\n"
    result = check(tests, code)
    assert result.output.count("The option custom_patches of cassettes has no effect") == 1, result.output


def test_names_a_damaged_cassette(tests: Project) -> None:
    path = write_cassette(tests, "test_one.yaml", interaction("one"))
    path.write_text(path.read_text() + "}: [\n")
    before = path.read_text()
    result = check(tests, "@pytest.mark.vcr\ndef test_one(): get()\n", "--record-mode=new_episodes")
    assert result.code == 1
    assert f"The cassette {path} is damaged:" in result.output
    assert path.read_text() == before


def test_names_a_folder_that_cannot_be_written(tests: Project) -> None:
    tests.write("pytest.ini", "[pytest]\ntapedeck_format = vcr\n")
    tests.write("cassettes", "a file, under which even root can make no folder")
    url = tests.provider.url + "/v1/chat/completions"
    result = check(tests, CALL % ("hi", url, "HI"), "--record-mode=once")
    assert result.code == 1
    assert "could not be written" in result.output and "It was not changed" in result.output
    assert "recorded" not in result.counts(), result.output


def test_leaves_the_mark_to_pytest_recording(tests: Project) -> None:
    tests.write("pytest_recording/__init__.py", "")
    write_cassette(tests, "test_one.yaml", interaction("one"))
    code = "@pytest.mark.vcr\ndef test_one(request): assert 'vcr' not in request.fixturenames\n"
    result = check(tests, code, "--tapedeck=strict")
    assert result.code == 0, result.output
    assert (
        "pytest-recording replays the tests marked vcr (uninstall it to let Tapedeck read its cassettes)"
        in result.output
    )
