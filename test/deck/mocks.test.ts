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
  const project = aProject();
  const entry = await project.record(ASKED, "recorded");
  const run = project.deck.createRun("strict", undefined, faults);

  const broken = await askIn(project, run);
  const next = await askIn(project, run);

  expect([broken.fault, next.fault]).toEqual([short, undefined]);
  expect(next).toMatchObject({ outcome: "replayed", entry, status: 200 });
  expect(run.counts.count(next.key!)).toBe(2);
});

test("the faults of a run are its own: another one has those of the project", async () => {
  const project = aProject();
  await project.record(ASKED, "recorded");
  await project.say({ faults: [{ status: 500 }] });

  const own = await askIn(project, project.deck.createRun("strict", undefined, [{ status: 429 }]));
  const none = await askIn(project, project.deck.createRun("strict", undefined, []));
  const plain = await askIn(project, project.deck.createRun("strict"));

  expect([own.fault, none.fault, plain.fault]).toEqual(["429", undefined, "500"]);
});

test("answers of mocks are previewed in order, without using them up", async () => {
  const project = aProject();
  await project.say({ lenient: { script: ["one", "two"] } });
  const missed = (await project.ask(ASKED)).miss!;

  const rehearsed = await project.deck.rehearse([missed, missed, missed]);
  const echoed = await project.deck.rehearse([missed], { mock: "echo" });
  const after = await project.ask(ASKED, { mode: "lenient" });

  expect(rehearsed).toMatchObject([
    { by: "reply 1 of the script", recording: { key: missed.key } },
    { by: "reply 2 of the script" },
    { problem: expect.stringContaining("all 2 of its replies are used") as string },
  ]);
  expect(echoed).toMatchObject([{ view: { projection: { messages: [{ parts: [{ text: "hi" }] }] } } }]);
  expect(after.madeUp?.by).toBe("reply 1 of the script");
});

test("a call over the tokens of its test fails as at a provider, and is no call of its test", async () => {
  const project = aProject({ context: { maxInputTokens: 30 } });
  await project.say({ lenient: { reply: "made up" } });
  const run = project.deck.createRun("lenient", { file: "a.test.ts", name: ["a"] });
  const other = project.deck.createRun("lenient", { file: "a.test.ts", name: ["b"] });

  const within = await askIn(project, run);
  const over = await askIn(project, run, chatOf(["word ".repeat(40)]));
  const elsewhere = await askIn(project, other);

  expect(within).toMatchObject({ outcome: "defaulted", status: 200 });
  expect(over).toMatchObject({ outcome: "refused", status: 400, failedWith: 400, failsRun: true });
  expect(over.reason).toMatch(
    /^Request may exceed input token limit \(Current: \d+, Needed: \d+, Max: 30\)$/u,
  );
  expect(over.text).toContain("Request may exceed input token limit");
  expect(elsewhere.outcome).toBe("defaulted");
});

test("a call that would fill the context is only reported when so configured", async () => {
  const project = aProject({ context: { maxContextTokens: 2_000, maxOutputTokens: 1_500, over: "tell" } });
  await project.record(ASKED, "recorded");

  const told = await project.ask(ASKED);

  expect(told).toMatchObject({ outcome: "replayed" });
  expect(told.failsRun).toBeUndefined();
  expect(told.reason).toMatch(/^The context would be full: 25\d\d of 2000 tokens\.$/u);
});

test("old results that a client sends are reported without any change", async () => {
  const project = aProject({ context: { keepToolResults: 1 } });
  const long = chatOf(["task", "a", `old ${"result ".repeat(20)}`, "b", "new"]);
  await project.record(long, "recorded");

  const told = await project.ask(long);
  const short = await project.ask(ASKED, { mode: "lenient" });

  expect(told.outcome).toBe("replayed");
  expect(told.reason).toMatch(
    /^With keepToolResults 1 the call leaves 1 old results? out: \d+ of its \d+ tokens/u,
  );
  expect(short.reason).toBe("No recording matches, so the default reply answered.");
});

test.each([
  ["echo", "text: hey", "the echo", "text: hey"],
  ["kosong", "text: hey", "kosong's echo", "hey"],
])("a reply of %s to %j is reported with its mock", async (mock, asked, by, said) => {
  const project = aProject();
  await project.say({ lenient: { mock } });

  const event = await project.ask(chatOf([asked]), { mode: "lenient" });

  expect(event).toMatchObject({ outcome: "defaulted", madeUp: { by, reply: { status: 200 } } });
  expect(JSON.parse(event.text)).toMatchObject({ choices: [{ message: { content: said } }] });
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
