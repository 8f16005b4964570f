import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { send } from "../../support/http-client.ts";
import { ADDRESS, ASKED, recorderFile, STREAM } from "../../support/other-recorders.ts";
import { anArchive, type RecordedCall } from "../imports.ts";
import { aProject, serving, tapedeck } from "../tapedeck.ts";
import { filesBelow } from "../../support/files-below.ts";

const PARSED = recorderFile("parsed.yaml");
const VCRPY = recorderFile("python.yaml");

const KEY = "Zq81kdLmQpw72Hs4vTna";

/** An archive of one call, with these headers and texts in it. */
function har(call: RecordedCall & { said?: string; answer?: string; mimeType?: string } = {}): string {
  const { said = "Say hi", answer = "Hi", mimeType = "application/json", ...more } = call;
  const asked = { ...ASKED, messages: [{ role: "user", content: said }] };
  const message = { role: "assistant", content: answer };
  const answered = { object: "chat.completion", choices: [{ index: 0, message, finish_reason: "stop" }] };
  return JSON.stringify(
    anArchive([{ asked, answered, replyHeaders: { "content-type": mimeType }, ...more }]),
  );
}

/** The entries of an archive of one call. */
const archived = (call: Parameters<typeof har>[0]): readonly object[] =>
  (JSON.parse(har(call)) as { log: { entries: object[] } }).log.entries;

it("a request whose body an HTTP archive omitted is not imported as a request without a body, and that is reported", async () => {
  const { log } = JSON.parse(har({ url: "https://own.example/a" })) as {
    log: { entries: { request: object }[] };
  };
  const [{ request }] = log.entries as [{ request: { headers: object[]; postData?: object } }];
  const multipart = {
    mimeType: "multipart/form-data; boundary=b",
    params: [{ name: "file", fileName: "a.wav" }],
  };
  const entries = [
    { headers: [{ name: "Content-Length", value: "439" }], bodySize: 0 },
    { bodySize: 439 },
    { postData: multipart },
    { postData: undefined, bodySize: 0 },
  ].map((changes) => ({ ...log.entries[0], request: { ...request, postData: undefined, ...changes } }));
  const cwd = aProject({ "a.har": JSON.stringify({ log: { entries } }), "b.zip": "PK\u0003\u0004\u00ff" });
  const own = ["--upstream", "own=https://own.example"];

  const { stdout, stderr } = await tapedeck(["import", "a.har", "b.zip", ...own], { cwd });

  expect(stdout + stderr).toContain(
    "skipped: 3 calls (first: a.har, entry 1): each has a request whose body is not in the file",
  );
  expect(stdout + stderr).toContain("1 call imported");
  expect(stdout + stderr).toContain("b.zip is a zip archive: unpack it first");
});

describe("what was imported", () => {
  it("answers in strict, the same call with its takes in order", async () => {
    const cwd = aProject({ "twice.yaml": PARSED });
    await tapedeck(["import", "twice.yaml"], { cwd });
    const served = await serving([], { cwd });

    const body =
      '{"messages":[{"content":"Twice","role":"user"}],"n":9007199254740993,"model":"gpt-4o-mini"}';
    const ask = () =>
      send(`${served.ready.url}/openai/v1/chat/completions`, {
        headers: { "content-type": "application/json" },
        body,
      });
    const replies = [await ask(), await ask()];
    await served.end();

    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    expect(replies.map(({ text }) => /"content":"(\w+)"/.exec(text)?.[1])).toEqual(["Hi", "Hello"]);
  });

  it("is there once: importing again changes no file, and files that share a call share its recording", async () => {
    const cwd = aProject({ "a/twice.yaml": PARSED, "a/again.yaml": PARSED, "b.har": har() });
    const first = await tapedeck(["import", "a", "b.har"], { cwd });
    const before = contents(cwd);

    const second = await tapedeck(["import", "a", "b.har"], { cwd });
    const checked = await tapedeck(["check"], { cwd });

    expect(first.stderr).toContain("3 calls imported into .tapedeck from 3 files, 2 already recorded");
    expect(second.stderr).toContain("0 calls imported into .tapedeck from 3 files, 5 already recorded");
    expect(before.length).toBe(3);
    expect(contents(cwd)).toEqual(before);
    expect([checked.code, checked.stderr]).toEqual([0, expect.stringContaining("0 errors")]);
  });
});

describe("secrets never come along", () => {
  it("headers are dropped, and keys in the address", async () => {
    const url = `${ADDRESS}?api_key=${KEY}`;
    const cwd = aProject({
      "a.har": har({ url, headers: { authorization: `Bearer ${KEY}`, cookie: `s=${KEY}` } }),
    });

    const { code } = await tapedeck(["import", "a.har"], { cwd });

    expect(code).toBe(0);
    expect(contents(cwd).map(([, text]) => text.includes(KEY))).toEqual([false]);
  });

  it.each([
    [
      "a credential of its call",
      { answer: `It is ${KEY}`, headers: { authorization: `Bearer ${KEY}` } },
      "header authorization. Remove it there and import again",
    ],
    [
      "what looks like a key, though the headers were dropped",
      { said: ["sk", "proj", "Q7vX2mN9pL4kR8tY3wZ6bC1d"].join("-") },
      'OpenAI key .*. Remove it there, or set "secrets": "redact" in tapedeck.jsonc, and import again',
    ],
  ])("a call that holds %s is refused with the place, and not repeated", async (_, call, place) => {
    const cwd = aProject({ "a.har": har(call), "b.har": har({ said: "Another" }) });

    const { code, stderr } = await tapedeck(["import", "a.har", "b.har"], { cwd });

    expect(code).toBe(1);
    expect(stderr).toMatch(new RegExp(`refused: a.har, entry 1 was refused: .*${place}\\.`));
    expect(stderr).toContain("1 call imported");
    expect(stderr).not.toMatch(/Zq81|Q7vX/);
    expect(filesBelow(join(cwd, ".tapedeck/calls")).length).toBe(1);
  });
});

it("a key in the body is taken out when the project redacts", async () => {
  const entry = JSON.parse(har()) as { log: { entries: [{ request: { postData: { text: string } } }] } };
  const { postData } = entry.log.entries[0].request;
  postData.text = postData.text.replace("{", `{"api_key":"${KEY}",`);
  const cwd = aProject({ "a.har": JSON.stringify(entry), "tapedeck.jsonc": '{ "secrets": "redact" }' });

  const { code, stderr } = await tapedeck(["import", "a.har"], { cwd });

  expect([code, stderr]).toEqual([0, expect.stringContaining("1 call imported")]);
  expect(
    contents(cwd).map(([, text]) => [text.includes(KEY), text.includes("[redacted: credential]")]),
  ).toEqual([[false, true]]);
});

describe("what cannot be imported is named", () => {
  it("an unknown address, with the option that assigns it to a provider", async () => {
    const cwd = aProject({ "a.har": har({ url: "https://llm.corp.example/openai/v1/chat/completions" }) });

    const first = await tapedeck(["import", "a.har"], { cwd });
    const named = await tapedeck(
      ["import", "a.har", "--upstream", "openai=https://llm.corp.example/openai"],
      { cwd },
    );
    const listed = await tapedeck(["list", "--json"], { cwd });

    expect(first.stderr).toContain("name it with --upstream llm.corp.example=https://llm.corp.example");
    expect(named.stderr).toContain("1 call imported");
    expect(JSON.parse(listed.stdout)).toMatchObject([{ provider: "openai", operation: "chat.completions" }]);
  });

  it("several of them, each under its own name, and every proposal is accepted", async () => {
    const origins = [
      "http://10.1.2.3:90",
      "http://192.168.0.7",
      "https://192.168.0.7",
      "https://llm.one.example",
      "https://chat.one.example",
      "https://llm.one.example:8443",
      "https://con.example",
      "http://[fd00::1]:8080",
    ];
    const cassettes = origins.map((origin, at) => [
      `${at}.har`,
      har({ url: `${origin}/v1/chat/completions`, said: `Call ${at}` }),
    ]);
    const cwd = aProject(Object.fromEntries(cassettes) as Record<string, string>);

    const first = await tapedeck(["import", "."], { cwd });
    const proposed = [...first.stderr.matchAll(/--upstream (\S+?)=(\S+?)(?:,|$)/gm)];
    const options = proposed.flatMap(([, name = "", origin = ""]) => ["--upstream", `${name}=${origin}`]);
    const second = await tapedeck(["import", ".", ...options], { cwd });

    expect(proposed.map(([, , origin]) => origin)).toEqual(origins);
    expect(new Set(proposed.map(([, name]) => name)).size).toBe(origins.length);
    expect(second.stderr).toContain(`${origins.length} calls imported`);
  });

  it.each([
    ["has no complete response: openai answered with status 200.5", { status: 200.5 }],
    ["has an invalid content type", { mimeType: "application/json\nx-other: 1" }],
    ["has an invalid content type", { mimeType: "text/日本" }],
  ])("%s", async (reason, reply) => {
    const cwd = aProject({ "odd.har": har(reply) });

    const { stderr } = await tapedeck(["import", "odd.har"], { cwd });

    expect(stderr).toContain(`entry 1 ${reason}`);
    expect(stderr).toContain("0 calls imported");
  });

  it("a file whose calls are all skipped, with how many for each reason, and the exit code is 1", async () => {
    const failed = { status: 429, said: "Again" };
    const entries = [failed, failed, { url: "https://cdn.example/a" }].flatMap((call) => archived(call));
    const cwd = aProject({ "bad.har": JSON.stringify({ log: { entries } }), "good.har": har() });

    const alone = await tapedeck(["import", "bad.har"], { cwd });
    const both = await tapedeck(["import", "bad.har", "good.har"], { cwd });
    const again = await tapedeck(["import", "good.har"], { cwd });

    expect([alone.code, both.code, again.code]).toEqual([1, 1, 0]);
    expect(alone.stderr.split("\n")).toEqual([
      expect.stringMatching(/^skipped: 2 calls \(first: bad.har, entry 1\): each .* status 429/),
      expect.stringMatching(/^skipped: bad.har, entry 3 is a call to https:\/\/cdn.example/),
      "No call of bad.har was imported.",
      "0 calls imported into .tapedeck from 1 file, 3 skipped",
      "",
    ]);
    expect(both.stderr).toContain("No call of bad.har was imported.\n1 call imported");
  });

  it("a folder, if all calls of it are skipped, but not for one file of it", async () => {
    const cwd = aProject({ "fixtures/bad.har": har({ status: 500 }) });

    const alone = await tapedeck(["import", "fixtures"], { cwd });
    writeFileSync(join(cwd, "fixtures/good.har"), har());
    const both = await tapedeck(["import", "fixtures"], { cwd });

    expect([alone.code, both.code]).toEqual([1, 0]);
    expect(both.stderr).not.toContain("No call");
  });

  it("a stream without its end", async () => {
    const whole = JSON.stringify(STREAM);
    const cut = JSON.stringify(STREAM.slice(0, STREAM.indexOf(": a comment")));
    const cwd = aProject({ "cut.yaml": VCRPY.replace(whole, cut) });

    const { stderr } = await tapedeck(["import", "cut.yaml"], { cwd });

    expect(stderr).toContain(
      "interaction 2 has no complete response: The stream ended without its terminal event",
    );
    expect(stderr).toContain("1 call imported");
  });

  it.each([
    ["without a body", "", "the body is empty."],
    ["in plain text", "Say hi", "the body is not JSON"],
    ["with a list", "[]", "the body is JSON, but not an object."],
    ["without its filtered messages", '{"model":"gpt-4o-mini"}', 'the member "messages" is missing.'],
  ])("a call %s: the others of its file are imported", async (_, asked, reason) => {
    const bad = { postData: { mimeType: "application/json", text: asked } };
    const [good] = archived({});
    const broken = { ...good, request: { ...(good as { request: object }).request, ...bad } };
    const cwd = aProject({ "a.har": JSON.stringify({ log: { entries: [broken, good] } }) });

    const { code, stderr } = await tapedeck(["import", "a.har"], { cwd });

    expect(code).toBe(0);
    expect(stderr).toContain(`entry 1 cannot be read: Tapedeck cannot read this request: ${reason}`);
    expect(stderr).toContain("1 call imported");
  });

  it.each([
    ["broken JSON", "a.json", '{"log": {"entries": [}', /a\.json is not JSON: .*line 1, column/],
    ["broken YAML", "a.yaml", "interactions:\n- a: 'b\n", /a\.yaml is not YAML: .*line/],
    ["other JSON", "a.json", '{"name": "x"}', /a\.json contains no recordings in a known format \(vcr, /],
    ["nothing", "a.yaml", "", /a\.yaml is empty/],
    ["a bomb of aliases", "a.yaml", bomb(), /a\.yaml is not YAML: it has more than 5000000 values/],
  ])("a file of %s: the others are imported, and the exit code is 1", async (_, name, text, reason) => {
    const cwd = aProject({ [name]: text, "good.har": har() });

    const { code, stderr } = await tapedeck(["import", name, "good.har"], { cwd });

    expect(code).toBe(1);
    expect(stderr).toMatch(reason);
    expect(stderr).toContain("1 call imported");
  });

  it("in a folder, what is no recording is passed over", async () => {
    const cwd = aProject({
      "fixtures/good.har": har(),
      "fixtures/other.json": '{"a": 1}',
      "fixtures/x.txt": "x",
    });

    const { code, stderr } = await tapedeck(["import", "fixtures"], { cwd });

    expect([code, stderr]).toEqual([0, "1 call imported into .tapedeck from 1 file\n"]);
  });
});

it("in a folder, a damaged file of recordings is named, and the exit code is 1", async () => {
  const cwd = aProject({
    "fixtures/good.har": har(),
    "fixtures/settings.json": '{"name": "x", }',
    "fixtures/torn.har": har().slice(0, 200),
    "fixtures/torn.yaml": "interactions:\n- request:\n    body: 'b\n",
  });

  const { code, stderr } = await tapedeck(["import", "fixtures"], { cwd });

  expect(code).toBe(1);
  expect(stderr).toMatch(
    /skipped: fixtures\/torn\.har is not JSON: .*\nskipped: fixtures\/torn\.yaml is not YAML: /,
  );
  expect(stderr).toContain("1 call imported into .tapedeck from 1 file");
  expect(stderr).not.toContain("settings");
});

describe("the command line", () => {
  it("prefers a format given before the files to the one detected by content", async () => {
    const cwd = aProject({ "nock.json": recorderFile("nock.json") });

    const inFront = await tapedeck(["import", "nock", "nock.json", "--dir", "a"], { cwd });
    const other = await tapedeck(["import", "har", "nock.json", "--dir", "b"], { cwd });

    expect([inFront.code, inFront.stderr]).toEqual([0, expect.stringContaining("3 calls imported into a")]);
    expect([other.code, other.stderr]).toEqual([
      1,
      expect.stringContaining("contains nothing in the format har"),
    ]);
  });

  it("keys what it imports by the rules of tapedeck.jsonc, and stops when these are broken", async () => {
    const rules = '{"normalize": [{"replace": "run-[0-9]+", "with": "run"}]}';
    const cwd = aProject({ "tapedeck.jsonc": rules, "a.har": har({ said: "run-1" }) });

    const imported = await tapedeck(["import", "a.har"], { cwd });
    const served = await serving([], { cwd });
    const body = JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "run-2" }] });
    const reply = await send(`${served.ready.url}/openai/v1/chat/completions`, { body });
    await served.end();
    writeFileSync(join(cwd, "tapedeck.jsonc"), "{");
    const broken = await tapedeck(["import", "a.har"], { cwd });

    expect([imported.code, reply.headers["x-tapedeck-outcome"]]).toEqual([0, "replayed"]);
    expect([broken.code, broken.stderr]).toEqual([
      expect.any(Number),
      expect.stringContaining("tapedeck.jsonc"),
    ]);
    expect(broken.code).not.toBe(0);
  });
});

it("a format before the files may be called by its recorder; formats are named if it is none", async () => {
  const cwd = aProject({ "v.yaml": VCRPY });
  for (const format of ["vcr", "vcrpy", "pytest-recording"])
    expect((await tapedeck(["import", format, "v.yaml"], { cwd })).code).toBe(0);

  const { code, stderr } = await tapedeck(["import", "mountebank", "v.yaml"], { cwd });

  expect(code).toBe(2);
  expect(stderr).toContain('There is no file or folder "mountebank".');
  expect(stderr).toContain("You can put a format before the files: vcr, polly,");
});

describe("export", () => {
  it.each([
    ["har", "out.har"],
    ["vcr", "out.yaml"],
  ])("to %s and import give the same files: keys, bytes and takes", async (to, out) => {
    const cwd = aProject({
      "p.yaml": PARSED,
      "v.yaml": VCRPY,
    });
    await tapedeck(["import", ".", "--dir", "first"], { cwd });

    const exported = await tapedeck(["export", "--dir", "first", "--to", to, "--out", out], { cwd });
    const imported = await tapedeck(["import", out, "--dir", "second"], { cwd });

    expect([exported.code, exported.stderr]).toEqual([0, "4 calls of first exported\n"]);
    expect(imported.stderr).toContain("4 calls imported");
    expect(contents(cwd, "second")).toEqual(contents(cwd, "first"));
  });

  it("goes to standard output with --out - too", async () => {
    const cwd = aProject({ "p.yaml": PARSED });
    await tapedeck(["import", "p.yaml"], { cwd });

    const { stdout } = await tapedeck(["export", "--to", "har", "--out", "-"], { cwd });

    expect(stdout).toContain('"entries"');
  });

  it("skips broken calls, reports them, and ends with 1", async () => {
    const cwd = aProject({ "p.yaml": PARSED });
    await tapedeck(["import", "p.yaml"], { cwd });
    const [entry = ""] = filesBelow(join(cwd, ".tapedeck/calls"));
    writeFileSync(join(cwd, ".tapedeck/calls", entry), "{");

    const { code, stdout, stderr } = await tapedeck(["export", "--to", "har"], { cwd });

    expect(code).toBe(1);
    expect(stderr).toContain("skipped:");
    expect((JSON.parse(stdout) as { log: { entries: unknown[] } }).log.entries.length).toBe(1);
  });
});

function contents(cwd: string, dir = ".tapedeck"): readonly (readonly [string, string])[] {
  const calls = join(cwd, dir, "calls");
  return filesBelow(calls).map((file) => [file, readFileSync(join(calls, file), "utf8")] as const);
}

/** Nine of the one before, nine times over. */
function bomb(): string {
  const levels = Array.from({ length: 9 }, (_, level) =>
    level === 0
      ? "a0: &a0 [x]"
      : `a${level}: &a${level} [${Array(9)
          .fill(`*a${level - 1}`)
          .join(",")}]`,
  );
  return `${levels.join("\n")}\ninteractions: [*a8]\n`;
}
