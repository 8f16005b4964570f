import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { send } from "../../support/http-client.ts";
import { ANSWERED, ASKED } from "../../support/other-recorders.ts";
import { anArchive, anInteraction } from "../imports.ts";
import { aProject, serving, tapedeck } from "../tapedeck.ts";
import { filesBelow } from "../../support/files-below.ts";

const JSON_HEADERS = { "content-type": "application/json" };
const CASE = { file: "tests/test_chat.py", runner: "pytest", id: "tests/test_chat.py::test_case" };
const testNamed = (name: string) => ({
  ...CASE,
  name: [name],
  id: `tests/test_chat.py::${name}`,
  x: name,
});

const asking = (content: string) => ({ ...ASKED, messages: [{ role: "user", content }] });
const chat = (content: string, answer: string) => {
  const message = { role: "assistant", content: answer };
  const choices = [{ index: 0, message, finish_reason: "stop" }];
  return { asked: asking(content), answered: { ...ANSWERED, choices } };
};
const cassette = (...calls: readonly Parameters<typeof anInteraction>[0][]): string =>
  JSON.stringify({ version: 1, interactions: calls.map(anInteraction) });

/** Three cassettes with the same calls, each call twice. Each cassette has one answer in common with the next. */
const ANSWERS = [
  ["a", "b"],
  ["b", "c"],
  ["c", "a"],
] as const;
const NAMES = ["one", "two", "three"] as const;
const CASSETTES = Object.fromEntries(
  NAMES.map((name, at) => {
    const calls = (ANSWERS[at] ?? []).flatMap((answer) => [chat("Hi", answer), chat("Bye", `${answer}!`)]);
    return [`tests/cassettes/test_chat/test_${name}.yaml`, cassette(...calls)];
  }),
);

/** Imports cassettes in one go and serves them. */
async function imported(files: Readonly<Record<string, string>>, options: readonly string[] = []) {
  const cwd = aProject(files);
  expect((await tapedeck(["import", "tests"], { cwd })).code).toBe(0);
  const served = await serving(["--log", "json", ...options], { cwd });
  const ask = async (content: string, who?: object & { file: string }, named?: string): Promise<string> => {
    const told = who && encodeURIComponent(JSON.stringify({ v: 1, ...who, file: join(cwd, who.file) }));
    const headers = {
      ...JSON_HEADERS,
      ...(told !== undefined && { "x-tapedeck-test": told }),
      ...(named !== undefined && { "x-tapedeck-cassette": named }),
    };
    const body = JSON.stringify(asking(content));
    const { text } = await send(`${served.ready.url}/openai/v1/chat/completions`, { headers, body });
    return (JSON.parse(text) as typeof ANSWERED).choices[0]?.message.content ?? text;
  };
  const askAll = async (...of: [who?: object & { file: string }, named?: string]) => [
    await ask("Hi", ...of),
    await ask("Bye", ...of),
    await ask("Hi", ...of),
    await ask("Bye", ...of),
  ];
  return { ask, askAll, served, cwd };
}

const answersOf = (at: number) => (ANSWERS[at] ?? []).flatMap((answer) => [answer, `${answer}!`]);

describe("each cassette gives its own replies, in their order", () => {
  it("to its test", async () => {
    const { askAll } = await imported(CASSETTES);

    for (const [at, name] of NAMES.entries())
      expect(await askAll(testNamed(`test_${name}`))).toEqual(answersOf(at));
  });

  it.each([
    ["its path", (name: string) => `tests/cassettes/test_chat/test_${name}.yaml`],
    ["its name", (name: string) => `test_${name}`],
  ])("to a client without hooks that names it in a header, by %s", async (_, nameOf) => {
    const { askAll } = await imported(CASSETTES);

    for (const [at, name] of NAMES.entries())
      expect(await askAll(undefined, nameOf(name))).toEqual(answersOf(at));
  });

  it("to a whole run, with --cassette", async () => {
    const { askAll } = await imported(CASSETTES, ["--cassette", "test_two"]);

    expect(await askAll()).toEqual(answersOf(1));
  });
});

it("two replies that lead on to different addresses are two, although their bodies are the same", async () => {
  const url = "https://generativelanguage.googleapis.com/upload/v1beta/files";
  const upload = (id: string): string => {
    const replyHeaders = { ...JSON_HEADERS, "x-goog-upload-url": `${url}?upload_id=${id}` };
    return cassette({ url, asked: "{}", headers: JSON_HEADERS, answered: "{}", replyHeaders });
  };
  const { served, cwd } = await imported({
    "tests/cassettes/test_one.yaml": upload("one"),
    "tests/cassettes/test_two.yaml": upload("two"),
  });

  const told = JSON.stringify({ v: 1, ...testNamed("test_two"), file: join(cwd, CASE.file) });
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
    "tests/cassettes/test_chat/TestChat.test_case[1].yaml": cassette(chat("Hi", "a")),
    "tests/cassettes/test_gone/test_case.yaml": cassette(chat("Bye", "b")),
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
  const url = "https://llm.example/v1/chat/completions";
  const cwd = aProject({ "own.har": JSON.stringify(anArchive([{ ...chat("Hi", "a"), url }])) });
  await tapedeck(["import", "own.har", "--upstream", "own=https://llm.example"], { cwd });
  const served = await serving([], { cwd });

  const ask = (path: string) =>
    send(`${served.ready.url}/own${path}`, { headers: JSON_HEADERS, body: JSON.stringify(asking("Hi")) });
  const [replayed, missed] = [await ask("/v1/chat/completions"), await ask("/v1/other")];

  expect([replayed.status, replayed.text]).toEqual([200, expect.stringContaining('"content":"a"')]);
  expect([missed.status, missed.text]).toEqual([404, expect.stringContaining("tapedeck_miss")]);
});

describe("when the owner of a call is unknown", () => {
  const files = {
    "tests/cassettes/one.yaml": cassette(chat("Hi", "a")),
    "tests/cassettes/two.yaml": cassette(chat("Hi", "b")),
  };

  it.each([
    ["no test is known", undefined],
    ["no cassette is named after the test", { file: "tests/chat.test.ts", name: ["chat", "greets me"] }],
  ])("takes come in their order, with a note: %s", async (_, who) => {
    const { ask, served } = await imported(files);

    const answers = [await ask("Hi", who), await ask("Hi", who)];
    const { stdout } = await served.end();

    expect(answers).toEqual(["a", "b"]);
    expect(stdout).toMatch(/imported from several cassettes with different responses/);
  });

  it("no note is given when their replies are the same", async () => {
    const same = { ...files, "tests/cassettes/two.yaml": files["tests/cassettes/one.yaml"] };
    const { ask, served } = await imported(same);

    await ask("Hi");
    const { stdout } = await served.end();

    expect(stdout).not.toMatch(/several cassettes/);
  });
});
