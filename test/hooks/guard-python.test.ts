import { describe, expect, test } from "vitest";
import { anUpstream } from "../cli/an-upstream.ts";
import { aProject, tapedeck } from "../cli/tapedeck.ts";
import { casesOf } from "../support/cases.ts";
import { itLong } from "../support/long.ts";
import { hasPython, NEEDS_PYTHON } from "../support/python.ts";

// Each test starts several programs, on machines that may be busy.

/** Its clients' `call(body)` ask the address in their code; printed is what they were answered, and where they connected to. */
const program = (clients: Readonly<Record<string, string>>): string => `
import _socket
_socket.gethostbyname = lambda host: "192.0.2.1"  # there is no name server here
import asyncio, http.client, json, os, socket, ssl, sys, urllib.request
URL = "https://api.openai.com/v1/chat/completions"
HEADERS = {"content-type": "application/json", "authorization": "Bearer sk-own"}
connected = set()
sys.addaudithook(lambda event, values: event == "socket.connect" and connected.add(values[1][0]))
def raw(body):
    head = "POST /v1/chat/completions HTTP/1.1\\r\\nhost: api.openai.com\\r\\ncontent-type: application/json\\r\\n"
    return (head + "connection: close\\r\\ncontent-length: %d\\r\\n\\r\\n" % len(body)).encode() + body
def inner(reply):
    return reply[reply.index(b"{"):reply.rindex(b"}") + 1]
def run(call, name):
    connected.clear()
    for said in ("one", "two", "one"):
        body = json.dumps({"model": "gpt-4o-mini", "messages": [{"role": "user", "content": name + said}]}).encode()
        try:
            print(json.loads(call(body))["choices"][0]["message"]["content"])
        except Exception as error:
            print(type(error).__name__, getattr(error, "code", ""), str(error)[:60])
    print("connected to", sorted(connected))
${Object.entries(clients)
  .map(([name, client]) => `${client}\nrun(call, ${JSON.stringify(`${name}: `)})`)
  .join("\n")}
`;

const CLIENTS: Readonly<Record<string, string>> = {
  urllib: `
def call(body):
    return urllib.request.urlopen(urllib.request.Request(URL, body, HEADERS)).read()`,
  "http.client, one connection": `
connection = http.client.HTTPSConnection("api.openai.com", timeout=20)
def call(body):
    connection.request("POST", "/v1/chat/completions", body, HEADERS)
    return connection.getresponse().read()`,
  "urllib with a proxy": `
opener = urllib.request.build_opener(urllib.request.ProxyHandler({"https": "http://127.0.0.1:9"}))
def call(body):
    return opener.open(urllib.request.Request(URL, body, HEADERS)).read()`,
  "a socket under TLS": `
def call(body):
    plain = socket.create_connection(address=("api.openai.com", 443), timeout=20, source_address=("", 0))
    with ssl.create_default_context().wrap_socket(plain, server_hostname="api.openai.com") as secure:
        assert secure.version() and secure.getpeercert()["subjectAltName"] == (("DNS", "api.openai.com"),)
        secure.sendall(raw(body))
        with secure.makefile("rb") as reply:
            return inner(reply.read())`,
  "a socket that connects itself": `
def call(body):
    plain = socket.socket()
    plain.connect(("api.openai.com", 443))
    with ssl.create_default_context().wrap_socket(plain, server_hostname="api.openai.com") as secure:
        secure.sendall(raw(body))
        with secure.makefile("rb") as reply:
            return inner(reply.read())`,
  "streams of asyncio": `
async def ask(body):
    reader, writer = await asyncio.open_connection("api.openai.com", 443, ssl=True)
    writer.write(raw(body))
    try:
        return inner(await reader.read())
    finally:
        writer.close()
def call(body):
    return asyncio.run(ask(body))`,
  "a test that clears the environment": `
os.environ.clear()
def call(body):
    return urllib.request.urlopen(urllib.request.Request(URL, body, HEADERS)).read()`,
};

const run = (...words: string[]) => ["run", ...words, "--", "python3", "ask.py"];

describe.skipIf(!hasPython)(`a Python client with a hard-coded address ${NEEDS_PYTHON}`, () => {
  // One process runs all of them, because programs take long to start. The one that clears the environment is last.
  test("is recorded, and replayed as by a variable, whatever it calls by, and misses without leaving the machine", async () => {
    const upstream = await anUpstream();
    const names = Object.keys(CLIENTS);
    const byVariable = (CLIENTS["urllib"] ?? "").replace(
      "Request(URL",
      'Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions"',
    );
    const cwd = aProject({
      "ask.py": program(CLIENTS),
      "again.py": `${program({ urllib: byVariable, "not recorded": CLIENTS["urllib"] ?? "" })}\nimport ask`,
    });

    const recorded = await tapedeck(run("--mode", "record", ...upstream.options), { cwd });
    const replayed = await tapedeck(["run", "--", "python3", "again.py"], { cwd });

    const here = "connected to ['127.0.0.1']";
    const answers = recorded.stdout.trimEnd().split("\n");
    const isAnswer = (line: string): boolean => /^Answer \d+ to (.*): (?:one|two)$/.test(line);
    expect(answers.filter((line, at) => (at % 4 === 3 ? line !== here : !isAnswer(line)))).toEqual([]);
    expect(answers).toHaveLength(4 * names.length);
    expect(recorded.stderr).toContain(`${3 * names.length} recorded`);
    const [one = "", two = "", last = ""] = answers;
    const again = [
      [one, two, last, here],
      ["HTTPError 404", "HTTPError 404", "HTTPError 404", here],
      [last, two, last, here], // the call's second answer is its last one
      answers.slice(4),
    ];
    const printed = replayed.stdout.trimEnd().replaceAll(/(?<=^HTTPError 404).*/gm, "");
    expect(printed.split("\n")).toEqual(again.flat());
    expect(replayed.stderr).toContain(`${3 * names.length + 3} replayed · 3 missing · 0 sent`);
    expect([recorded.code, replayed.code]).toEqual([0, 3]);
  });

  test("is refused and named when its connection cannot be redirected, or is made below Python", async () => {
    // Stand-ins: the packages are large, and these are the names that they are asked by.
    const curl = "class Curl:\n    def setopt(self, option, value): print('out')";
    const cwd = aProject({
      "curl_cffi/__init__.py": "",
      "curl_cffi/curl.py": curl,
      "pycurl.py": curl,
      "grpc.py": `class UnaryUnaryClientInterceptor: pass
class UnaryStreamClientInterceptor: pass
class StreamUnaryClientInterceptor: pass
class StreamStreamClientInterceptor: pass
def secure_channel(target, credentials): return lambda request: print("out")
def intercept_channel(channel, unary, *others):
    return lambda request: unary.intercept_unary_unary(lambda details, request: channel(request), None, request)`,
      "ask.py": `import socket, ssl, curl_cffi.curl, grpc, pycurl
class Sock:
    family, type, proto = socket.AF_INET, socket.SOCK_STREAM, 0
    def __init__(self, address): self.address = address
    def getpeername(self): return (self.address, 443)
def tell(work):
    try: work()
    except OSError as error: print(error)
    except Exception: print("on its way")
context = ssl._create_unverified_context()
def look_up():
    try: socket.getaddrinfo(b"api.openai.com", 443)
    except socket.gaierror as error: print(error)
    except OSError: print("an error that no resolver expects")
look_up()
tell(lambda: context.wrap_socket(Sock("192.0.2.1"), server_hostname="api.cohere.com"))
tell(lambda: curl_cffi.curl.Curl().setopt(10002, b"https://api.groq.com/openai/v1/chat/completions"))
tell(lambda: pycurl.Curl().setopt(10002, "https://api.mistral.ai/v1/chat/completions"))
tell(lambda: grpc.secure_channel("dns:///api.x.ai:443", None)(b""))
`,
    });

    const { stdout, stderr, code } = await tapedeck(run(), { cwd });
    const live = await tapedeck(run("--mode", "live"), { cwd });

    const hosts = ["openai.com", "cohere.com", "groq.com", "mistral.ai", "x.ai"];
    const refused = stdout.matchAll(/^Tapedeck refused a connection to api\.(\S+):/gm);
    expect([...refused].map(([, host]) => host)).toEqual(hosts);
    const named =
      /A call to api\.(\S+):443 bypassed Tapedeck in process \d+ \(python3? ask\.py\): ([^,]*), which.*\. (Have the client use [^, ]*)/g;
    expect([...stderr.matchAll(named)].map((found) => found.slice(1))).toEqual([
      ["openai.com", "its client opens connections in a way of its own", "Have the client use http.client"],
      ["cohere.com", "its client sets up TLS itself", "Have the client use http.client"],
      ["groq.com", "its client is libcurl", "Have the client use http.client"],
      ["mistral.ai", "its client is libcurl", "Have the client use http.client"],
      ["x.ai", "it speaks gRPC", "Have the client use REST"],
    ]);
    expect(live.stdout).toContain("out\nout\nout\n");
    expect(live.code).toBe(0);
    expect(code).toBe(3);
  });

  test("is seen in child processes with a custom environment", async () => {
    // Without urllib, because its import takes longest.
    const child = `import socket, ssl
address = ("api.openai.com", 443)
with ssl._create_unverified_context().wrap_socket(socket.create_connection(address), server_hostname=address[0]) as secure:
    secure.sendall(b"GET /v1/models HTTP/1.1\\r\\nhost: api.openai.com\\r\\nconnection: close\\r\\n\\r\\n")
    print(secure.recv(12))`;
    const starts = `import asyncio, os, subprocess, sys
ask = [sys.executable, "child.py"]
subprocess.run(ask, env={})
subprocess.Popen(ask, -1, None, None, None, None, None, True, False, None, {"PYTHONPATH": "/nowhere"}).wait()
async def start():
    await (await asyncio.create_subprocess_exec(*ask, env={"A": "1"})).wait()
asyncio.run(start())
os.environ.clear()
subprocess.run(ask)
os.waitpid(os.posix_spawn(sys.executable, ask, {}), 0)
subprocess.run([sys.executable, "-c", "import os; print(sorted(os.environ))"], env={"TAPEDECK_GUARD": "off", "LC_CTYPE": "C"})
os.execve(sys.executable, ask, {})`;
    const cwd = aProject({ "ask.py": starts, "child.py": child });

    const { stdout, stderr } = await tapedeck(run(), { cwd });

    expect(stderr).toContain("0 replayed · 6 missing · 0 sent");
    expect(stdout).toContain("['LC_CTYPE', 'TAPEDECK_GUARD']");
  });

  itLong("is let alone without the guard, as are other hosts", async () => {
    const cwd = aProject({
      "ask.py": `import socket, ssl, sys, urllib.request
def resolve(event, values):
    if event == "socket.getaddrinfo": raise OSError("looked up " + values[0])
sys.addaudithook(resolve)
for host in ("api.openai.com", "api.example.com"):
    try: urllib.request.urlopen("https://" + host)
    except OSError as error: print(error.reason)
`,
    });

    const guarded = await tapedeck(run(), { cwd });
    const open = await tapedeck(run("--no-guard"), { cwd });

    expect(guarded.stdout).not.toContain("looked up api.openai.com");
    expect(guarded.stdout).toContain("looked up api.example.com");
    expect(open.stdout).toContain("looked up api.openai.com");
  });
});

test.skipIf(!hasPython).each([
  ["requirements-dev.txt", "pytest\nrespx==0.22\n", "None False"],
  ["requirements.txt", "vcrpy\n", "None True", "openai"],
  ...casesOf({
    quick: [],
    long: [
      ["requirements.txt", "grequests-responses-like\n", "ours True"],
      [
        "test_client.py",
        "import httpx\ntransport = httpx.MockTransport(lambda request: None)\n",
        "None False",
      ],
      ["pyproject.toml", '[dependency-groups]\ntest = ["pytest_httpx"]\n', "None False"],
      ["tests/own_mocks/patches.py", 'methods = ["handle_request", "handle_async_request"]\n', "None False"],
      [".venv/lib/tests/test_client.py", "MockTransport", "ours True"],
      ["src/client.py", "MockTransport", "ours True"],
    ],
  }),
])(
  `with %s our addresses and keys are readable by code, unless tests mock by address${NEEDS_PYTHON}`,
  async (file, text, expected, recorded = "anthropic") => {
    // An installed one does not mean that the project uses it.
    const cwd = aProject({
      [file]: text,
      [`.tapedeck/calls/${recorded}/.keep`]: "",
      "_pytest/config.py": "",
      "_pytest/__init__.py": "",
      "responses.py": "",
    });
    const read =
      "import _pytest.config, os; url = os.environ.get('OPENAI_BASE_URL'); print('ours' if url else url, 'OPENAI_API_KEY' in os.environ)";

    const { stdout } = await tapedeck(["run", "--", "python3", "-c", read], { cwd });

    expect(stdout).toBe(`${expected}\n`);
  },
);

test.skipIf(!hasPython)(
  `a client that rejects our variable beside options in code is created without it${NEEDS_PYTHON}`,
  async () => {
    const client = (name: string, variable: string): string => `import os
class ${name}:
    def __init__(self, aws_secret_key=None, aws_access_key=None, resource=None):
        print("${name}", aws_access_key or resource, "${variable}" in os.environ)
Async${name} = ${name}
`;
    const packages = ["anthropic", "anthropic/lib", "anthropic/lib/bedrock", "google", "google/genai"];
    const cwd = aProject({
      ...Object.fromEntries(packages.map((name) => [`${name}/__init__.py`, ""])),
      "anthropic/lib/bedrock/_client.py": client("AnthropicBedrock", "AWS_BEARER_TOKEN_BEDROCK"),
      "anthropic/lib/foundry.py": client("AnthropicFoundry", "ANTHROPIC_FOUNDRY_BASE_URL"),
      "google/genai/_base_url.py": `import os
get_base_url = lambda vertexai, http_options=None: os.environ.get("GOOGLE_GEMINI_BASE_URL")`,
      "ask.py": `import os
from anthropic.lib.bedrock._client import AnthropicBedrock as B
from anthropic.lib.foundry import AnthropicFoundry as F
from google.genai._base_url import get_base_url
B(), B(aws_access_key="AK", aws_secret_key="SK"), B("SK", "AK"), B()
F(), F(resource="r"), F()
print("genai", get_base_url(False) is not None)
os.environ["GOOGLE_GENAI_USE_VERTEXAI"] = "True"
print("vertex", get_base_url(False) is not None, "GOOGLE_VERTEX_BASE_URL" in os.environ)`,
    });

    const { stdout } = await tapedeck(["run", "--", "python3", "ask.py"], { cwd });

    expect(stdout.trim().split("\n")).toEqual([
      "AnthropicBedrock None True",
      "AnthropicBedrock AK False",
      "AnthropicBedrock AK False",
      "AnthropicBedrock None True",
      "AnthropicFoundry None True",
      "AnthropicFoundry r False",
      "AnthropicFoundry None True",
      "genai True",
      "vertex False False",
    ]);
  },
);

itLong.skipIf(!hasPython)(`a client's own address is named when no call arrived${NEEDS_PYTHON}`, async () => {
  const upstream = await anUpstream();
  const [, origin = ""] = (upstream.options.find((one) => one.includes("=http")) ?? "").split("=");
  const ask = `import urllib.request as r, urllib.error as e
try:
    r.urlopen(r.Request("${origin}/v1/chat/completions", b"{}", {"content-type": "application/json"})).read()
except e.HTTPError:
    pass`;

  const { stderr } = await tapedeck(["run", "--", "python3", "-c", ask], { cwd: aProject() });

  expect(stderr).toContain(
    `No call reached Tapedeck. The client uses its own address: calls were sent to ${new URL(origin).host}.`,
  );
});

itLong.skipIf(!hasPython)(
  `a client that pins a certificate is named with a hint${NEEDS_PYTHON}`,
  async () => {
    const ask = `import socket, ssl
plain = socket.create_connection(("api.openai.com", 443), 20)
with ssl.create_default_context().wrap_socket(plain, server_hostname="api.openai.com") as secure:
    assert secure.getpeercert(True) == b"pinned"`;

    const { stderr } = await tapedeck(["run", "--", "python3", "-c", ask], { cwd: aProject() });

    expect(stderr).toContain("A call to api.openai.com:443 bypassed Tapedeck in process");
    expect(stderr).toContain("its client pins the provider's certificate");
    expect(stderr).toContain("Leave the pin out in tests");
  },
);
