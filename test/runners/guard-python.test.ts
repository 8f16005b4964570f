import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { anUpstream } from "../cli/an-upstream.ts";
import { aProject, tapedeck } from "../cli/tapedeck.ts";
import { because, missing, python, versionsOf } from "./support/python.ts";

/*
 * The guard with the official SDKs, with hard-coded or default addresses: each client of `CALLS` sends hello, and prints
 * how that ended; then where the process connected to. No base-URL variable is left to it.
 */
const CALLS = `import asyncio, os, sys
connected = set()
sys.addaudithook(lambda event, values: event == "socket.connect" and connected.add(str(values[1][0])))
for name in [name for name, value in os.environ.items() if value.startswith(os.environ["TAPEDECK_URL"] + "/")]:
    del os.environ[name]
for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "AWS_BEARER_TOKEN_BEDROCK", "GROQ_API_KEY", "TOGETHER_API_KEY", "CO_API_KEY"):
    os.environ[name] = "own"
os.environ["AWS_EC2_METADATA_DISABLED"] = "true"
SAID = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}
OPENAI = "https://api.openai.com/v1"

def openai_sync():
    from openai import OpenAI
    return OpenAI(base_url=OPENAI, max_retries=0).chat.completions.create(**SAID).choices[0].message.content
def openai_stream():
    from openai import OpenAI
    return "".join(chunk.choices[0].delta.content or "" for chunk in OpenAI(base_url=OPENAI, max_retries=0).chat.completions.create(stream=True, **SAID) if chunk.choices)
async def openai_async():
    from openai import AsyncOpenAI
    return (await AsyncOpenAI(max_retries=0).chat.completions.create(**SAID)).choices[0].message.content
def moonshot():
    from openai import OpenAI
    return OpenAI(base_url="https://api.moonshot.cn/v1", max_retries=0).chat.completions.create(**SAID).choices[0].message.content
def anthropic_sync():
    from anthropic import Anthropic
    return Anthropic(base_url="https://api.anthropic.com", max_retries=0).messages.create(max_tokens=9, **SAID).content[0].text
async def anthropic_async():
    from anthropic import AsyncAnthropic
    return (await AsyncAnthropic(max_retries=0).messages.create(max_tokens=9, **SAID)).content[0].text
def groq():
    from groq import Groq
    return Groq(max_retries=0).chat.completions.create(**SAID).choices[0].message.content
def together():
    from together import Together
    return Together(max_retries=0).chat.completions.create(**SAID).choices[0].message.content
def mistral():
    try:
        from mistralai import Mistral
    except ImportError:
        from mistralai.client import Mistral
    return Mistral(api_key="own").chat.complete(**SAID).choices[0].message.content
def requests_twice():
    import requests
    session = requests.Session()
    return [session.post(OPENAI + "/chat/completions", json=SAID).json()["choices"][0]["message"]["content"] for _ in range(2)]
async def httpx_async():
    import httpx
    async with httpx.AsyncClient() as client:
        return (await client.post(OPENAI + "/chat/completions", json=SAID)).json()["choices"][0]["message"]["content"]
async def aiohttp_async():
    import aiohttp
    async with aiohttp.ClientSession(trust_env=True) as session:
        async with session.post(OPENAI + "/chat/completions", json=SAID) as reply:
            return (await reply.json())["choices"][0]["message"]["content"]
def httpx_http2():
    import httpx
    with httpx.Client(http2=True, http1=False) as client:
        reply = client.post(OPENAI + "/chat/completions", json=SAID)
        assert reply.http_version == "HTTP/2"
        return reply.json()["choices"][0]["message"]["content"]
def urllib3_pool():
    import urllib3
    return urllib3.PoolManager(retries=False).request("POST", OPENAI + "/chat/completions", json=SAID).json()["choices"][0]["message"]["content"]
async def aiohttp_connector():
    import aiohttp
    class CustomConnector(aiohttp.TCPConnector):
        pass
    async with aiohttp.ClientSession(connector=CustomConnector(limit=1, force_close=True, ssl=False)) as session:
        async with session.post(OPENAI + "/chat/completions", json=SAID) as reply:
            return (await reply.json())["choices"][0]["message"]["content"]
def cohere():
    from cohere import ClientV2
    return ClientV2(api_key="own").chat(**SAID).message.content[0].text
async def google_async():
    from google import genai
    return (await genai.Client(api_key="own").aio.models.generate_content(model="m", contents="hello")).text
def ollama():
    import ollama
    return ollama.chat(**SAID).message.content
def bedrock():
    import boto3
    said = [{"role": "user", "content": [{"text": "hello"}]}]
    return boto3.client("bedrock-runtime", region_name="us-east-1").converse(modelId="m", messages=said)["output"]

def tried(name, call):
    try:
        print(name, call())
    except Exception as error:
        print(name, "failed:", type(error).__name__, "No recording" in str(error))
ONE = [openai_sync, openai_stream, moonshot, anthropic_sync, groq, together, mistral, requests_twice, httpx_http2, urllib3_pool]
LATER = [openai_async, anthropic_async, httpx_async, aiohttp_async, aiohttp_connector]
OTHERS = [cohere, ollama, bedrock]
for call in ONE + (OTHERS if "all" in sys.argv else []):
    tried(call.__name__, call)
for call in LATER + ([google_async] if "all" in sys.argv else []):
    tried(call.__name__, lambda: asyncio.run(call()))
import trio
tried("httpx, trio", lambda: trio.run(httpx_async))
if sys.platform != "win32":
    import uvloop
    for call in (httpx_async, aiohttp_async):
        tried(call.__name__ + ", uvloop", lambda: uvloop.run(call()))
print("connected to", sorted(connected))
`;

const command = ["--", python, "ask.py"];
/** Nothing listens there: a client that uses it fails. */
const proxied = { HTTPS_PROXY: "http://127.0.0.1:9", https_proxy: "http://127.0.0.1:9" };

test.skipIf(missing)(
  `Python's SDKs are recorded and replayed at the addresses in their code${because}`,
  async () => {
    const upstream = await anUpstream();
    const others = ["moonshot", "groq", "together", "mistral"].flatMap((name) => [
      "--upstream",
      `${name}=${upstream.origin}`,
    ]);
    const cwd = aProject({ "ask.py": CALLS });

    const recorded = await tapedeck(["run", "--mode", "record", ...upstream.options, ...others, ...command], {
      cwd,
    });
    const replayed = await tapedeck(["run", ...command], { cwd, env: proxied });

    expect(recorded.stdout).not.toContain("failed:");
    expect(replayed.stdout).toBe(recorded.stdout);
    expect(replayed.stdout).toContain("connected to ['127.0.0.1']");
    expect(replayed.stderr).toContain(" 0 missing · 0 sent");
    const calls = 11 + 5 + 1 + (process.platform === "win32" ? 0 : 2);
    expect(upstream.requests).toHaveLength(calls);
    console.log(`▸ ${versionsOf(["openai", "anthropic", "groq", "together", "mistralai"])}: ${calls} calls`);
  },
);

test.skipIf(missing)(`Python's SDKs miss without a connection to a provider${because}`, async () => {
  const cwd = aProject({ "ask.py": CALLS });

  const { stdout, stderr, code } = await tapedeck(["run", ...command, "all"], { cwd, env: proxied });

  expect(stdout.match(/ failed: /g)).toHaveLength(process.platform === "win32" ? 20 : 22);
  expect(stdout).toContain("connected to ['127.0.0.1']");
  expect(stderr).toMatch(/0 replayed · \d+ missing · 0 sent/);
  expect(code).toBe(3);
});

const BEDROCK = `import boto3, os
content = [{"role": "user", "content": [{"text": "hello"}]}]
try:
    print(boto3.client("bedrock-runtime", region_name="eu-west-1").converse(modelId="m", messages=content)["output"])
except Exception as error:
    print(str(error)[:90])
`;

test.skipIf(missing)(
  `boto3 without keys is answered, and is not asked to sign our address${because}`,
  async () => {
    const cwd = aProject({ "ask.py": BEDROCK });

    const { stdout, stderr } = await tapedeck(["run", ...command], { cwd });

    expect(stdout).toContain("tapedeck_miss");
    expect(stderr).toContain("0 replayed · 1 missing · 0 sent");
  },
);

const OVER_HTTP2 = `import httpx
def test_of_this_name():
    with httpx.Client(http2=True, http1=False) as client:
        assert client.post("https://api.openai.com/v1/chat/completions", json={"model": "m", "messages": []}).status_code == 404
`;

test.skipIf(missing)(`a call over HTTP/2 is attributed to its test${because}`, async () => {
  const cwd = aProject({ "test_http2.py": OVER_HTTP2 });

  const { stderr } = await tapedeck(["run", "--", python, "-m", "pytest", "-q", "test_http2.py"], { cwd });

  expect(stderr).toContain("test_of_this_name");
});

const WEBSOCKETS = `import asyncio, os
import aiohttp, websockets
BY_CODE = "wss://api.openai.com/v1/realtime?model=m"
TO_SERVER = os.environ["OPENAI_BASE_URL"].replace("http:", "wss:") + "/realtime?model=m"
async def by_websockets(url):
    async with websockets.connect(url):
        print("open")
async def by_aiohttp(url):
    async with aiohttp.ClientSession() as session, session.ws_connect(url):
        print("open")
async def main():
    for connect in (by_websockets, by_aiohttp):
        for url in (BY_CODE, TO_SERVER):
            try:
                await connect(url)
            except Exception as error:
                print("refused", type(error).__name__)
asyncio.run(main())
`;

test.skipIf(missing)(
  `sessions over WebSockets by websockets and aiohttp are misses without a recording${because}`,
  async () => {
    const cwd = aProject({ "ask.py": WEBSOCKETS });

    const { stdout, stderr, code } = await tapedeck(["run", "--", python, "ask.py"], { cwd });

    expect(stdout).not.toContain("refused");
    expect(stderr).toContain("0 replayed · 4 missing · 0 sent");
    expect(stderr).toContain('No recording for this m call ("realtime session")');
    expect(code).toBe(3);
  },
);

const MOCKED = `import httpx, pytest, requests, respx, responses
from openai import OpenAI, AsyncOpenAI
URL = "https://api.openai.com/v1/chat/completions"
REPLY = {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "mocked"}}]}
SAID = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}
client = OpenAI(api_key="own", max_retries=0)

def test_address():
    assert str(client.base_url) == "https://api.openai.com/v1/"
@respx.mock
def test_respx():
    route = respx.route(url=URL).mock(return_value=httpx.Response(200, json=REPLY))
    assert httpx.post(URL, json=SAID).json() == REPLY
    assert "x-tapedeck-test" not in route.calls[0].request.headers
def test_pytest_httpx(httpx_mock):
    httpx_mock.add_response(url=URL, json=REPLY)
    assert httpx.post(URL, json=SAID).json() == REPLY
    assert "x-tapedeck-test" not in httpx_mock.get_requests()[0].headers
@responses.activate
def test_responses():
    responses.post(URL, json=REPLY)
    assert requests.post(URL, json=SAID).json() == REPLY
@pytest.mark.vcr
def test_vcr():
    assert requests.post(URL, json=SAID).json() == {"from": "a cassette"}
`;
const CASSETTE = `interactions:
- request: {body: '{}', headers: {}, method: POST, uri: 'https://api.openai.com/v1/chat/completions'}
  response: {body: {string: '{"from": "a cassette"}'}, headers: {Content-Type: [application/json]}, status: {code: 200, message: OK}}
version: 1
`;

test.skipIf(missing)(`suites that mock by address pass as without Tapedeck${because}`, async () => {
  const cwd = aProject({
    "requirements-dev.txt": "pytest-recording\n",
    "test_mocked.py": MOCKED,
    "cassettes/test_mocked/test_vcr.yaml": CASSETTE,
  });
  const pytest = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "test_mocked.py"];

  const without = spawnSync(python, pytest, { cwd, encoding: "utf8" });
  const { stdout, stderr } = await tapedeck(["run", "--", python, ...pytest], { cwd });

  expect(without.stdout).toContain("5 passed");
  expect(stdout).toContain("5 passed");
  expect(stderr).toContain("0 sent");
  expect(stderr).toContain("responses, vcr may have answered the calls of the tests.");
});
