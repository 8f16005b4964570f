import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { casesOf } from "../../support/cases.ts";
import { send } from "../../support/http-client.ts";
import { corpus, sample } from "../../support/corpus/corpus.ts";
import { anArchive, anInteraction } from "../imports.ts";
import { filesBelow } from "../recordings.ts";
import { aProject, serving, tapedeck } from "../tapedeck.ts";

interface Called {
  readonly provider: string;
  readonly path: string;
  readonly asked: string;
  readonly answered: string;
}

interface Who {
  readonly file: string;
  readonly name: readonly string[];
  readonly runner?: string;
  readonly id?: string;
  /** An execution of the test, as the hooks tell it. */
  readonly x?: string;
}

const ORIGINS: Readonly<Record<string, string>> = {
  openai: "https://api.openai.com",
  anthropic: "https://api.anthropic.com",
};
const JSON_HEADERS = { "content-type": "application/json" };

/** Calls of the corpus whose replies are distinguished by trailing white space. */
const CALLS = sample(corpus())
  .filter(({ provider, request, reply }) => {
    const isJson = reply.contentType.startsWith("application/json") && reply.status === 200;
    return ORIGINS[provider] !== undefined && request.method === "POST" && isJson && isObject(request.body);
  })
  .filter((_, at) => at % casesOf({ quick: 4, long: 1 }) === 0)
  .map(({ provider, request, reply }) => ({
    provider,
    path: request.path,
    asked: textOf(request.body),
    answered: textOf(reply.body),
  }));

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function isObject(bytes: Uint8Array): boolean {
  return textOf(bytes).startsWith("{");
}

/** The calls of the cassette with this number: each call twice, with different replies. */
function callsOf(number: number): readonly Called[] {
  const calls = [number, (number + 1) % 3].flatMap((spaces) =>
    CALLS.map((call) => ({ ...call, answered: call.answered + " ".repeat(spaces) })),
  );
  // The last one shares all its replies with the others.
  return number === 2 ? calls.toReversed() : calls;
}

const callOf = ({ provider, path, asked, answered }: Called) => ({
  url: `${ORIGINS[provider]}${path}`,
  headers: JSON_HEADERS,
  asked,
  answered,
});

const vcr = (calls: readonly Called[]): string =>
  JSON.stringify({ version: 1, interactions: calls.map((call) => anInteraction(callOf(call))) });

const ruby = (calls: readonly Called[]): string =>
  vcr(calls).replace('"interactions"', '"http_interactions"');

const har = (calls: readonly Called[], creator = "Polly.JS"): string =>
  JSON.stringify(anArchive(calls.map(callOf), creator));

function nock(calls: readonly Called[]): string {
  return JSON.stringify(
    calls.map((call) => ({
      scope: `${ORIGINS[call.provider]}:443`,
      method: "POST",
      path: call.path,
      body: JSON.parse(call.asked) as unknown,
      status: 200,
      response: call.answered,
      headers: JSON_HEADERS,
    })),
  );
}

const python = (name: string, cls?: string): Who => ({
  file: "tests/test_chat.py",
  name: [...(cls === undefined ? [] : [cls]), name.replace(/\[.*/, "")],
  runner: "pytest",
  id: `tests/test_chat.py::${cls === undefined ? "" : `${cls}::`}${name}`,
  x: `${cls} ${name}`,
});
const js = (...name: string[]): Who => ({ file: "tests/chat.test.ts", name });

const RECORDERS: readonly (readonly [
  recorder: string,
  write: (calls: readonly Called[]) => string,
  tests: readonly (readonly [cassette: string, who: Who])[],
])[] = [
  [
    "pytest-recording",
    vcr,
    [
      ["tests/cassettes/test_chat/test_case[1].yaml", python("test_case[1]")],
      ["tests/cassettes/test_chat/test_case[-1].yaml", python("test_case[-1]")],
      ["tests/cassettes/test_chat/TestChat.test_case.yaml", python("test_case", "TestChat")],
    ],
  ],
  [
    "pytest-vcr",
    vcr,
    [
      ["tests/cassettes/test_one.yaml", python("test_one")],
      ["tests/cassettes/test_two[a-b].yaml", python("test_two[a/b]")],
      ["tests/cassettes/TestChat.test_one.yaml", python("test_one", "TestChat")],
    ],
  ],
  [
    "Ruby's VCR",
    ruby,
    [
      ["spec/cassettes/Chat/greets_me.yml", { file: "spec/chat_spec.rb", name: ["Chat", "greets me"] }],
      [
        "spec/cassettes/Chat/greets_me_again.yml",
        { file: "spec/chat_spec.rb", name: ["Chat", "greets me again"] },
      ],
      ["spec/cassettes/Other/greets_me.yml", { file: "spec/other_spec.rb", name: ["Other", "greets me"] }],
    ],
  ],
  [
    "Polly.JS",
    har,
    [
      ["tests/__recordings__/chat_123/greets-me_9/recording.har", js("chat", "greets me")],
      ["tests/__recordings__/chat_123/greets-me-again_8/recording.har", js("chat", "greets me again")],
      ["tests/__recordings__/other_77/greets-me_9/recording.har", js("other", "greets me")],
    ],
  ],
  [
    "nock's back",
    nock,
    [
      ["tests/__nock-fixtures__/chat greets me.json", js("chat", "greets me")],
      ["tests/__nock-fixtures__/chat greets me again.json", js("chat", "greets me again")],
      ["tests/__nock-fixtures__/chat.test/other.json", js("other")],
    ],
  ],
  [
    "a browser",
    (calls) => har(calls, "WebInspector"),
    [
      ["tests/archives/chat-greets-me.har", js("chat", "greets me")],
      ["tests/archives/chat-greets-me-again.har", js("chat", "greets me again")],
      ["tests/archives/other.har", js("other")],
    ],
  ],
];

/** Imports cassettes in one go and serves them. */
async function imported(files: Readonly<Record<string, string>>, options: readonly string[] = []) {
  const cwd = aProject(files);
  const argv = ["import", ...new Set(Object.keys(files).map((file) => file.split("/")[0] ?? ""))];
  expect((await tapedeck(argv, { cwd })).code).toBe(0);
  const texts = (): string[] =>
    filesBelow(join(cwd, ".tapedeck/calls")).map((file) =>
      readFileSync(join(cwd, ".tapedeck/calls", file), "utf8"),
    );
  const before = texts();
  await tapedeck(argv, { cwd });
  expect(texts()).toEqual(before);
  const served = await serving(["--log", "json", ...options], { cwd });
  const ask = async ({ provider, path, asked }: Called, who?: Who, cassette?: string): Promise<string> => {
    const told = who && encodeURIComponent(JSON.stringify({ v: 1, ...who, file: join(cwd, who.file) }));
    const headers = {
      ...JSON_HEADERS,
      ...(told !== undefined && { "x-tapedeck-test": told }),
      ...(cassette !== undefined && { "x-tapedeck-cassette": cassette }),
    };
    const reply = await send(`${served.ready.url}/${provider}${path}`, { headers, body: asked });
    return `${reply.status} ${reply.text}`;
  };
  return { ask, served, cwd };
}

describe("each cassette replayed alone gives its own replies, in their order", () => {
  it.each(RECORDERS)("of %s", async (_, write, tests) => {
    expect(CALLS.length).toBeGreaterThan(casesOf({ quick: 4, long: 20 }));
    const { ask, served } = await imported(
      Object.fromEntries(tests.map(([cassette], number) => [cassette, write(callsOf(number))])),
    );

    const wrong: string[] = [];
    for (const [number, [cassette, who]] of tests.entries()) {
      for (const call of callsOf(number))
        if ((await ask(call, who)) !== `200 ${call.answered}`) wrong.push(`${cassette} ${call.path}`);
    }
    await served.end();

    expect(wrong).toEqual([]);
  });
});

describe("a client without hooks names its cassette", () => {
  const files = ["spec/vcr/one.yml", "spec/vcr/two.yml", "spec/vcr/three.yml"];
  const cassettes = Object.fromEntries(files.map((file, number) => [file, ruby(callsOf(number))]));

  it.each([
    ["its path", (file: string) => file],
    ["its name", (file: string) => file.replace("spec/vcr/", "").replace(".yml", "")],
  ])("in a header, by %s: each cassette gives its own replies, in their order", async (_, nameOf) => {
    const { ask, served } = await imported(cassettes);

    const wrong: string[] = [];
    for (const [number, file] of files.entries())
      for (const call of callsOf(number))
        if ((await ask(call, undefined, nameOf(file))) !== `200 ${call.answered}`)
          wrong.push(`${file} ${call.path}`);
    await served.end();

    expect(wrong).toEqual([]);
  });

  it("for a whole run, with --cassette", async () => {
    const { ask, served } = await imported(cassettes, ["--cassette", "two"]);

    const replies: string[] = [];
    for (const call of callsOf(1)) replies.push(await ask(call));
    await served.end();

    expect(replies).toEqual(callsOf(1).map(({ answered }) => `200 ${answered}`));
  });
});

it("two replies that lead on to different addresses are two, although their bodies are the same", async () => {
  const google = "https://generativelanguage.googleapis.com/upload/v1beta/files";
  const upload = (id: string): string => {
    const replyHeaders = { ...JSON_HEADERS, "x-goog-upload-url": `${google}?upload_id=${id}` };
    const call = { url: google, asked: "{}", headers: JSON_HEADERS, answered: "{}", replyHeaders };
    return JSON.stringify({ interactions: [anInteraction(call)] });
  };
  const { served, cwd } = await imported({
    "tests/cassettes/test_one.yaml": upload("one"),
    "tests/cassettes/test_two.yaml": upload("two"),
  });

  const told = JSON.stringify({ v: 1, ...python("test_two"), file: join(cwd, "tests/test_chat.py") });
  const reply = await fetch(`${served.ready.url}/gemini/upload/v1beta/files`, {
    method: "POST",
    headers: { ...JSON_HEADERS, "x-tapedeck-test": encodeURIComponent(told) },
    body: "{}",
  });

  expect(reply.headers.get("x-goog-upload-url")).toMatch(/upload_id=two$/);
});

it("a recording names its cassette, and its test if pytest's layout gives it and the test's file exists", async () => {
  const { cwd } = await imported({
    "tests/test_chat.py": "def test_case(): pass\n",
    "tests/cassettes/test_chat/TestChat.test_case[1].yaml": vcr(CALLS.slice(0, 1)),
    "tests/cassettes/test_gone/test_case.yaml": vcr(CALLS.slice(1, 2)),
  });

  const { stdout } = await tapedeck(["list", "--json"], { cwd });
  const recordings = filesBelow(join(cwd, ".tapedeck/calls")).map(
    (file) => JSON.parse(readFileSync(join(cwd, ".tapedeck/calls", file), "utf8")) as object,
  );

  expect(stdout).toContain("TestChat");
  expect(recordings).toContainEqual(
    expect.objectContaining({
      test: { file: "tests/test_chat.py", name: ["TestChat", "test_case[1]"], runner: "pytest" },
      cassettes: ["tests/cassettes/test_chat/TestChat.test_case[1].yaml"],
    }),
  );
  expect(recordings).toContainEqual(
    expect.objectContaining({ cassettes: ["tests/cassettes/test_gone/test_case.yaml"] }),
  );
  expect(recordings.filter((one) => "test" in one)).toHaveLength(1);
});

it("a provider of one's own that is recorded needs no address in strict", async () => {
  const cwd = aProject({ "own.har": har([CALLS[0]!]).replaceAll(ORIGINS["openai"]!, "https://llm.example") });
  await tapedeck(["import", "own.har", "--upstream", "own=https://llm.example"], { cwd });
  const served = await serving([], { cwd });

  const ask = (path: string) =>
    send(`${served.ready.url}/own${path}`, { headers: JSON_HEADERS, body: CALLS[0]!.asked });
  const [replayed, missed] = [await ask(CALLS[0]!.path), await ask("/v1/other")];

  expect([replayed.status, replayed.text]).toEqual([200, CALLS[0]!.answered]);
  expect([missed.status, missed.text]).toEqual([404, expect.stringContaining("tapedeck_miss")]);
});

describe("when the owner of a call is unknown", () => {
  const ONE: Called = { ...CALLS[0]!, answered: `${CALLS[0]!.answered} ` };
  const files = {
    "tests/cassettes/one.yaml": vcr([CALLS[0]!]),
    "tests/cassettes/two.yaml": vcr([ONE]),
  };

  it.each([
    ["no test is known", undefined],
    ["no cassette is named after the test", js("chat", "greets me")],
  ])("takes come in their order, with a note: %s", async (_, who) => {
    const { ask, served } = await imported(files);

    const answers = [await ask(ONE, who), await ask(ONE, who)];
    const { stdout } = await served.end();

    expect(answers).toEqual([`200 ${CALLS[0]!.answered}`, `200 ${ONE.answered}`]);
    expect(stdout).toMatch(/imported from several cassettes with different responses/);
  });

  it("no note is given when their replies are the same", async () => {
    const { ask, served } = await imported({ ...files, "tests/cassettes/two.yaml": vcr([CALLS[0]!]) });

    await ask(ONE);
    const { stdout } = await served.end();

    expect(stdout).not.toMatch(/several cassettes/);
  });
});
