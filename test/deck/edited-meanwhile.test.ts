import { closeSync, openSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { utimesSync, writeFileSync, writeSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openDeck, type Deck } from "../../src/deck/deck.ts";
import type { Mode, Run } from "../../src/core/call/call.ts";
import { aServer } from "../support/a-server.ts";
import { aProject } from "./a-project.ts";

const BODY = { model: "gpt-4o-mini", messages: [{ role: "user", content: "Say hi" }] };

/** A project with one recording of the text "first", and an upstream that answers when the test releases it. */
async function aRefresh() {
  const asked: ((text: string) => void)[] = [];
  const waiting: ((answer: (text: string) => void) => void)[] = [];
  const answerTo = (response: ServerResponse) => (text: string) =>
    void response.writeHead(200, { "content-type": "application/json" }).end(chatText(text));
  const upstream = await aServer((request, response) => {
    request.resume();
    const next = waiting.shift();
    if (next === undefined) asked.push(answerTo(response));
    else next(answerTo(response));
  });
  const upstreams = { openai: upstream };
  const project = aProject({ upstreams });
  const wasAsked = (): Promise<(text: string) => void> =>
    new Promise((resolve) => {
      const one = asked.shift();
      if (one === undefined) waiting.push(resolve);
      else resolve(one);
    });
  const recorded = project.ask(BODY, { mode: "record" });
  (await wasAsked())("first");
  const file = join(project.dir, (await recorded).entry ?? "");
  const ask = (mode: Mode): ReturnType<typeof project.ask> => project.ask(BODY, { mode });
  return { ask, wasAsked, file, dir: project.dir, notices: project.notices, deck: project.deck, upstreams };
}

const chatText = (text: string): string => JSON.stringify(chatJson(text));
const chatJson = (content: string) => ({
  id: "x",
  object: "chat.completion",
  model: "gpt-4o-mini",
  choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
});

/** Makes the call again, and saves this text in its file before the upstream answers "second". */
async function refreshWhileSaving(
  { ask, wasAsked, file }: Awaited<ReturnType<typeof aRefresh>>,
  text: string,
  save: (file: string, text: string) => void = writeFileSync,
) {
  const refreshed = ask("refresh");
  const answer = await wasAsked();
  save(file, text);
  answer("second");
  return refreshed;
}

it.each([
  ["in place", (file: string, text: string) => writeFileSync(file, text)],
  [
    "by renaming",
    (file: string, text: string) => {
      writeFileSync(`${file}~`, text);
      renameSync(`${file}~`, file);
    },
  ],
])("an edit that is saved %s during a refresh of its call stays", async (_, save) => {
  const project = await aRefresh();
  const { file, notices } = project;
  const mine = readFileSync(file, "utf8").replace("first", "mine // and a word of my own");

  const { outcome, text, reason } = await refreshWhileSaving(project, mine, save);

  expect([outcome, JSON.parse(text)]).toEqual(["forwarded", chatJson("second")]);
  expect(reason).toContain("was edited while its call was made again. Its file was not replaced");
  expect(readFileSync(file, "utf8")).toBe(mine);
  expect(notices).toEqual([
    { level: "warning", message: expect.stringContaining("Make the call again to record it") },
  ]);
});

it("an edit that had just begun in place when its call is refreshed stays", async () => {
  const { ask, wasAsked, file } = await aRefresh();
  const mine = readFileSync(file, "utf8").replace("first", "mine");

  const editing = openSync(file, "w");
  const refreshed = ask("refresh");
  (await wasAsked())("second");
  const { outcome } = await refreshed;
  writeSync(editing, mine);
  closeSync(editing);

  expect(outcome).toBe("forwarded");
  expect(readFileSync(file, "utf8")).toBe(mine);
});

it("a file that was emptied long ago is recorded again", async () => {
  const { ask, wasAsked, file } = await aRefresh();
  writeFileSync(file, "");
  utimesSync(file, 1_700_000_000, 1_700_000_000);

  const refreshed = ask("refresh");
  (await wasAsked())("second");

  expect((await refreshed).outcome).toBe("recorded");
  expect(readFileSync(file, "utf8")).toContain("second");
});

it("the next refresh replaces the edit that it found", async () => {
  const project = await aRefresh();
  const { ask, wasAsked, file } = project;
  await refreshWhileSaving(project, readFileSync(file, "utf8").replace("first", "mine"));

  const again = ask("refresh");
  (await wasAsked())("third");

  expect((await again).outcome).toBe("recorded");
  expect(readFileSync(file, "utf8")).toContain("third");
});

it("a recording that was deleted meanwhile is recorded again, and of two concurrent refreshes the last one wins", async () => {
  const { ask, wasAsked, file } = await aRefresh();

  const deleted = ask("refresh");
  const answer = await wasAsked();
  rmSync(file);
  answer("second");
  expect((await deleted).outcome).toBe("recorded");

  const both = [ask("refresh"), ask("refresh")];
  const answers = [await wasAsked(), await wasAsked()];
  for (const [index, one] of answers.entries()) one(`answer ${index}`);

  expect((await Promise.all(both)).map(({ outcome }) => outcome)).toEqual(["recorded", "recorded"]);
  expect(readFileSync(file, "utf8")).toMatch(/answer [01]/);
});

/** As a refresh of a call for which nothing is recorded; `earlier` is what once was. */
async function aFirstRefresh() {
  const refresh = await aRefresh();
  const earlier = readFileSync(refresh.file, "utf8");
  rmSync(refresh.file);
  return { ...refresh, earlier };
}

it("a recording that appears after its call began stays", async () => {
  const { earlier, ...project } = await aFirstRefresh();
  const { file, notices } = project;
  const mine = earlier.replace("first", "mine");

  const { outcome, text, reason } = await refreshWhileSaving(project, mine);

  expect([outcome, JSON.parse(text)]).toEqual(["forwarded", chatJson("second")]);
  expect(reason).toContain("during this call. Its file was not replaced");
  expect(readFileSync(file, "utf8")).toBe(mine);
  expect(notices).toMatchObject([{ level: "warning" }]);
});

it("of two processes that refresh a new call at once, one's answer is kept and the other's is forwarded", async () => {
  const { ask, wasAsked, dir, file, upstreams } = await aFirstRefresh();
  const other = openDeck({ dir, upstreams });
  onTestFinished(() => other.close());

  const ours = ask("refresh");
  const ourAnswer = await wasAsked();
  const theirs = askIn(other, other.createRun("refresh"));
  (await wasAsked())("theirs");
  await theirs;
  ourAnswer("ours");
  const { outcome } = await ours;

  expect(outcome).toBe("forwarded");
  expect(readFileSync(file, "utf8")).toContain("theirs");
});

it("of two concurrent refreshes of a new call in one process only the last one is kept", async () => {
  const { ask, wasAsked, file } = await aFirstRefresh();

  const both = [ask("refresh"), ask("refresh")];
  const [one, other] = [await wasAsked(), await wasAsked()];
  one("one");
  await Promise.race(both);
  other("other");

  expect((await Promise.all(both)).map(({ outcome }) => outcome)).toEqual(["recorded", "recorded"]);
  expect(readFileSync(file, "utf8")).toContain("other");
  expect(readdirSync(dirname(file))).toHaveLength(1);
});

it.each([[[2, 1, 0]], [[1, 2, 0]], [[1, 0, 2]], [[0, 2, 1]]])(
  "concurrent identical calls of a run are a take each, with answers in the order %j",
  async (order) => {
    const { deck, wasAsked, file } = await aFirstRefresh();
    const run = deck.createRun("refresh");

    const calls = [askIn(deck, run), askIn(deck, run), askIn(deck, run)];
    const answers = [await wasAsked(), await wasAsked(), await wasAsked()];
    for (const index of order) {
      answers[index]?.(`answer ${index}`);
      await calls[index];
    }

    const recorded = readdirSync(dirname(file)).map((name) =>
      readFileSync(join(dirname(file), name), "utf8"),
    );
    const texts = new Set(recorded.map((text) => /answer \d/u.exec(text)?.[0]));
    expect(texts).toEqual(new Set(["answer 0", "answer 1", "answer 2"]));
  },
);

async function askIn(deck: Deck, run: Run): Promise<string> {
  const reply = await deck.fetch(run)(`${deck.providers.get("openai")?.upstream}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(BODY),
  });
  return reply.text();
}
