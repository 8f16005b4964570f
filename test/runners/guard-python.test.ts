import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { aProject, tapedeck } from "../cli/tapedeck.ts";
import { because, missing, python } from "./support/python.ts";

/* The guard with the official SDKs where Python's standard library, in `test/hooks`, does not show it. */
const command = ["--", python, "ask.py"];

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
  expect(stderr).toContain("The tests load responses, vcr, which answers calls.");
});
