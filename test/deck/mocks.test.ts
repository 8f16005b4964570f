import { expect, test } from "vitest";
import type { CallEvent, Run } from "../../src/core/call/call.ts";
import { beginStretch } from "../../src/core/answer/runs.ts";
import { aProject, chatOf, type Project } from "./a-project.ts";

const ASKED = chatOf(["hi"]);

/** Asks in a run; what the call became, and what came of it. */
async function askIn(
  project: Project,
  run: Run,
  body = ASKED,
): Promise<CallEvent & { readonly status: number; readonly text: string }> {
  const { reply, event } = await project.post(body, { run });
  const text = await reply.text().catch(() => "(broken)");
  return { ...(await event), status: reply.status, text };
}

test("a mocked answer is reported with its mock, its call, and its reply", async () => {
  const project = aProject();
  await project.say({ lenient: { script: ["one", { status: 503, times: "always" }] } });

  const first = await project.ask(ASKED, { mode: "lenient" });

  expect(first).toMatchObject({
    outcome: "defaulted",
    madeUp: { by: "reply 1 of the script", call: { label: "hi", key: first.key }, reply: { status: 200 } },
  });
  expect(Buffer.from(first.madeUp?.reply.body ?? []).toString()).toBe(first.text);
  expect(project.deck.describeMadeUp(first.madeUp!).projection.messages[0]?.parts).toEqual([
    { type: "text", text: "one" },
  ]);
});

test("a script restarts with each run of the tests", async () => {
  const project = aProject();
  await project.say({ lenient: { script: ["one", "two"] } });
  const run = project.deck.createRun("lenient");

  const by = [(await askIn(project, run)).madeUp?.by, (await askIn(project, run)).madeUp?.by];
  beginStretch(run);
  by.push((await askIn(project, run)).madeUp?.by);

  expect(by).toEqual(["reply 1 of the script", "reply 2 of the script", "reply 1 of the script"]);
});

test.each([
  ["a failure", [{ status: 429 }], "429"],
  ["an answer that is cut", [{ cutAfter: 1 }], "cut:1"],
  ["a connection that breaks", [{ disconnectAfter: 1 }], "disconnect:1"],
])("%s uses no take of the next call, and is reported in short", async (_, faults, short) => {
  const project = aProject({ faults });
  const entry = await project.record(ASKED, "recorded");
  const run = project.deck.createRun("strict");

  const broken = await askIn(project, run);
  const next = await askIn(project, run);

  expect([broken.fault, next.fault]).toEqual([short, undefined]);
  expect(next).toMatchObject({ outcome: "replayed", entry, status: 200 });
  expect(run.counts.count(next.key!)).toBe(2);
});

test("an exhausted script has a hint", async () => {
  const project = aProject();
  await project.say({ lenient: { script: ["one"] } });
  const run = project.deck.createRun("lenient");
  await askIn(project, run);

  const dry = await askIn(project, run);

  expect(dry.text).toContain("The script has no reply for this");
  expect(dry.text).toContain("Add a reply to the script, or let one answer several calls with times.");
});

const image = { type: "image_url", image_url: { url: "https://example.com/a.png" } };
const calling = (name: string): object => ({
  role: "assistant",
  content: null,
  tool_calls: [{ id: "t", type: "function", function: { name, arguments: "{}" } }],
});
const chat = (...messages: readonly object[]): object => ({ model: "gpt-4o-mini", messages });
const says = (role: string, ...texts: readonly string[]): object => ({
  role,
  content: texts.map((text) => ({ type: "text", text })),
});
const result = { role: "tool", tool_call_id: "t", content: "res" };

test.each<readonly [what: string, body: object, echoed: string]>([
  ["the texts of the user, a line each", chat(says("user", "a", "b")), "a\nb"],
  ["the text before a picture", chat(says("user", "first"), { role: "user", content: [image] }), "first"],
  ["what was asked before a tool was called", chat(says("user", "ask"), calling("f"), result), "ask"],
  ["what was asked before a call without a name", chat(says("user", "ask"), calling("")), "ask"],
  [
    "the last message, when it is not the user's",
    chat(says("system", "s"), says("assistant", "last")),
    "last",
  ],
  ["a developer message, when there is no other", chat(says("developer", "be short")), "be short"],
  ["the description of a call without text", chat({ role: "user", content: [image] }), "chat with 1 message"],
])("the echo gives %s", async (_, body, echoed) => {
  const project = aProject();
  await project.say({ lenient: { mock: "echo" } });

  const { text } = await project.ask(body, { mode: "lenient" });

  expect(JSON.parse(text)).toMatchObject({ choices: [{ message: { content: echoed } }] });
});
