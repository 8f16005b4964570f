import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { casesOf } from "../support/cases.ts";
import { aServer } from "../support/a-server.ts";
import { aProject, tapedeck } from "./tapedeck.ts";

const CALLS = casesOf({ quick: 60, long: 1_000 });

/** Makes identical calls at once, prints how many were answered and how many different answers came. */
const ASK = `
const { OPENAI_BASE_URL, TEST } = process.env;
const answers = await Promise.all(Array.from({ length: ${CALLS} }, async () => {
  const reply = await fetch(OPENAI_BASE_URL + "/chat/completions", {
    method: "POST",
    headers: { "content-type": "application/json", ...(TEST && { "x-tapedeck-test": TEST }) },
    body: JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "Pick a number." }] }),
  });
  return (await reply.json()).choices[0].message.content;
}));
console.log(answers.length, new Set(answers).size);
`;

/** Answers each call after 100 ms with its number. */
async function aSlowUpstream(): Promise<string> {
  let number = 0;
  return aServer((request, response) => {
    const message = { role: "assistant", content: String((number += 1)) };
    const reply = { id: "1", object: "chat.completion", created: 1, model: "gpt-4o-mini" };
    const choices = [{ index: 0, finish_reason: "stop", message }];
    const answer = (): void => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ ...reply, choices }));
    };
    request.resume().on("end", () => setTimeout(answer, 100));
  });
}

const CALLERS = [
  ["one test", "picks a number"],
  ["a program", ""],
] as const;

it.each(CALLERS.slice(0, casesOf({ quick: 1, long: 2 })))(
  "records many identical calls of %s that come at once, as takes without a gap",
  async (_, title) => {
    const cwd = aProject({ "ask.mjs": ASK });
    const attribution = { v: 1, file: join(cwd, "a.test.ts"), name: [title] };
    const test = title === "" ? "" : encodeURIComponent(JSON.stringify(attribution));
    const run = async (...mode: readonly string[]) =>
      tapedeck(["run", ...mode, "--", process.execPath, "ask.mjs"], { cwd, env: { TEST: test } });

    const recorded = await run("--mode", "record", "--upstream", `openai=${await aSlowUpstream()}`);

    expect([recorded.code, recorded.stdout.trim()]).toEqual([0, `${CALLS} ${CALLS}`]);
    const folder = join(cwd, ".tapedeck", "calls", "openai");
    const takes = readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".json"))
      .map((name) => Number(/[.](\d+)[.]json$/.exec(name)?.[1] ?? 1));
    expect(takes.toSorted((a, b) => a - b)).toEqual(Array.from({ length: CALLS }, (_item, at) => at + 1));
    const first = readdirSync(folder, { recursive: true, encoding: "utf8" }).find((name) =>
      name.endsWith(".json"),
    );
    expect(readFileSync(join(folder, first ?? ""), "utf8").includes("picks a number")).toBe(title !== "");

    const replayed = await run();
    expect([replayed.code, replayed.stdout.trim()]).toEqual([0, `${CALLS} ${CALLS}`]);
  },
);
