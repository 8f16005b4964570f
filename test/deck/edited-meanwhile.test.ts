import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Mode } from "../../src/core/exchange.ts";
import { aServer } from "../support/a-server.ts";
import { aProject } from "./a-project.ts";

const BODY = { model: "gpt-4o-mini", messages: [{ role: "user", content: "Say hi" }] };

/** A project with one recording that says "first", and an upstream that answers when it is told to. */
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
  const project = aProject({ upstreams: { openai: upstream } });
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
  return { ask, wasAsked, file, dir: project.dir, notices: project.notices };
}

const chatText = (text: string): string => JSON.stringify(chatJson(text));
const chatJson = (content: string) => ({
  id: "x",
  object: "chat.completion",
  model: "gpt-4o-mini",
  choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
});

it.each([
  ["in place", (file: string, text: string) => writeFileSync(file, text)],
  [
    "by renaming",
    (file: string, text: string) => {
      writeFileSync(`${file}~`, text);
      renameSync(`${file}~`, file);
    },
  ],
])(
  "an edit that is saved %s while its call is made anew stands, with the new answer beside it",
  async (_, save) => {
    const { ask, wasAsked, file, dir, notices } = await aRefresh();
    const mine = readFileSync(file, "utf8").replace("first", "mine // and a word of my own");

    const refreshed = ask("refresh");
    const answer = await wasAsked();
    save(file, mine);
    answer("second");
    const { outcome, text, reason } = await refreshed;

    expect([outcome, JSON.parse(text)]).toEqual(["forwarded", chatJson("second")]);
    expect(reason).toContain("was edited while its call was made anew: what stands there now stays");
    expect(readFileSync(file, "utf8")).toBe(mine);
    const newer = join(dir, ".local", "newer", file.slice(dir.length));
    expect(readFileSync(newer, "utf8")).toContain("second");
    expect(notices).toEqual([
      {
        level: "warning",
        message: expect.stringContaining("compare the two"),
        compare: { edited: file, newer },
      },
    ]);
  },
);

it("the next refresh replaces the edit that it found, and nothing lies beside it any more", async () => {
  const { ask, wasAsked, file, dir } = await aRefresh();
  const refreshed = ask("refresh");
  const answer = await wasAsked();
  writeFileSync(file, readFileSync(file, "utf8").replace("first", "mine"));
  answer("second");
  await refreshed;

  const again = ask("refresh");
  (await wasAsked())("third");

  expect((await again).outcome).toBe("recorded");
  expect(readFileSync(file, "utf8")).toContain("third");
  expect(existsSync(join(dir, ".local", "newer", file.slice(dir.length)))).toBe(false);
});

it("a recording that was deleted meanwhile is made anew, and of two refreshes at once the last one stands", async () => {
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
