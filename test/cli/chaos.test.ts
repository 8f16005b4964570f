import OpenAI, { RateLimitError } from "openai";
import { expect, test } from "vitest";
import { send } from "../support/http-client.ts";
import { aServer } from "../support/a-server.ts";
import { aProject, serving, tapedeck, type Served } from "./tapedeck.ts";

const LENIENT = ["--mode", "lenient", "--default", "one two three four five"];

const MESSAGE = {
  model: "claude-sonnet-4",
  max_tokens: 9,
  stream: true,
  messages: [{ role: "user" as const, content: "hi" }],
};

const client = (served: Served, maxRetries: number): OpenAI =>
  new OpenAI({ baseURL: `${served.ready.url}/openai/v1`, apiKey: "none", maxRetries });

const ASKED = { model: "gpt-4o-mini", messages: [{ role: "user" as const, content: "hi" }] };

test("a call that fails on purpose does so in the provider's words, and its SDK tries again", async () => {
  const plan = [{ status: 429, retryAfter: 0, message: "Slow down." }];
  const cwd = aProject({ "plan.json": JSON.stringify(plan) });

  const told = await serving([...LENIENT, "--chaos", "plan.json"], { cwd });
  const failure: unknown = await client(told, 0)
    .chat.completions.create(ASKED)
    .catch((error: unknown) => error);
  const retried = await serving([...LENIENT, "--chaos", "plan.json"], { cwd });
  const answered = await client(retried, 1).chat.completions.create(ASKED);

  expect(failure).toBeInstanceOf(RateLimitError);
  expect(failure).toMatchObject({ status: 429, code: "rate_limit_exceeded" });
  expect((failure as Error).message).toContain("Slow down.");
  expect((failure as RateLimitError).headers.get("retry-after")).toBe("0");
  expect(answered.choices[0]?.message.content).toBe("one two three four five");
});

test("faults in short come call by call: a failure, nothing, a stream that ends early, one that breaks", async () => {
  const served = await serving([...LENIENT, "--chaos", "529,ok,cut:3,disconnect:2"], { cwd: aProject({}) });
  const asked = async (): Promise<{ status: number; events: number; broke: boolean }> => {
    const { status, body } = await fetch(`${served.ready.url}/anthropic/v1/messages`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(MESSAGE),
    });
    let text = "";
    const decoder = new TextDecoder();
    try {
      for await (const piece of body ?? []) text += decoder.decode(piece as Uint8Array, { stream: true });
    } catch {
      return { status, events: text.split("\n\n").length - 1, broke: true };
    }
    return { status, events: text.split("\n\n").length - 1, broke: false };
  };

  const answers = [];
  for (let call = 0; call < 5; call += 1) answers.push(await asked());

  expect(answers[0]).toMatchObject({ status: 529, broke: false });
  expect(answers[1]).toEqual({ status: 200, events: 10, broke: false });
  expect(answers[2]).toEqual({ status: 200, events: 3, broke: false });
  expect(answers[3]).toEqual({ status: 200, events: 2, broke: true });
  expect(answers[4]).toEqual({ status: 200, events: 10, broke: false });
});

test("a run's test asks for replies and faults, and begins anew", async () => {
  const served = await serving(LENIENT, { cwd: aProject({}) });
  const mock = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const answer = await fetch(`${served.ready.url}/@mock/${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return answer.json();
  };
  const ask = async (): Promise<string | null | undefined> => {
    const answer = await client(served, 0).chat.completions.create(ASKED);
    return answer.choices[0]?.message.content;
  };

  await mock("POST", "reply", { reply: "asked for" });
  await mock("POST", "fault", { status: 503 });
  const texts = [await ask().catch((error: unknown) => (error as { status: number }).status)];
  texts.push(await ask(), await ask());
  await mock("POST", "reply", { reply: "not asked for" });
  await mock("POST", "reset");
  texts.push(await ask());

  expect(texts).toEqual([503, "asked for", "one two three four five", "one two three four five"]);
});

test("wrong requests of a test are reported, and a stranger's are refused", async () => {
  const served = await serving([], { cwd: aProject({}) });
  const url = new URL(served.ready.url);
  const headers = { "content-type": "application/json" };
  const asked = (path: string, body: string): ReturnType<typeof send> =>
    send(`${served.ready.url}/@mock/${path}`, { headers, body });

  const strict = await asked("reply", '"made up"');
  const wrong = await asked("fault", '{"status": 42}');
  const nothing = await asked("elsewhere", "{}");
  const stranger = await send(`${url.origin}/wrong-token/@mock/fault`, { headers, body: '{"status": 429}' });

  expect(strict.text).toContain("A run in strict mode does not make up replies.");
  expect(wrong.text).toContain("status must be a whole number from 400 to 599");
  expect(nothing.text).toContain("There is no POST /elsewhere among a run's mocks.");
  expect([strict.status, wrong.status, nothing.status]).toEqual([400, 400, 400]);
  expect(stranger.status).toBe(403);
});

test("chaos that cannot be used is refused before anything listens", async () => {
  const cwd = aProject({ "plan.json": '[{"status": 429, "cutAfter": 1}]' });
  const refused: Readonly<Record<string, string>> = {
    "429,quick": '"quick" is not a fault: it is not a known short form.',
    "plan.json": "plan.json, fault 1: status and cutAfter cannot be combined",
    "none.json": "The chaos none.json cannot be read",
  };

  for (const [chaos, message] of Object.entries(refused)) {
    const { code, stderr } = await tapedeck(["serve", "--chaos", chaos], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  }
  const { stderr } = await tapedeck(["serve", "--mode", "record", "--chaos", "429"], { cwd });
  expect(stderr).toContain("--chaos has no effect in record mode.");
});

test("a fault in strict mode takes no recording from the call after it, and a recorded reply breaks like another", async () => {
  const cwd = aProject({});
  const said = ["first", "second"];
  const upstream = await aServer((_, response) => {
    const message = { role: "assistant", content: said.shift() };
    response.writeHead(200, { "content-type": "application/json" }).end(
      JSON.stringify({
        id: "1",
        object: "chat.completion",
        model: "m",
        choices: [{ index: 0, message, finish_reason: "stop" }],
      }),
    );
  });
  const named = ["--upstream", `openai=${upstream}`];
  const recording = await serving(["--mode", "record", ...named], { cwd });
  const say = async (by: Served): Promise<unknown> =>
    (await client(by, 0).chat.completions.create(ASKED)).choices[0]?.message.content;
  const recorded = [await say(recording), await say(recording)];
  await recording.end();

  const served = await serving(["--chaos", "429,ok,cut:1"], { cwd });
  const texts = [];
  for (let call = 0; call < 3; call += 1)
    texts.push(
      await say(served).catch((error: unknown) => (error as { status?: number }).status ?? "broken"),
    );

  expect(recorded).toEqual(["first", "second"]);
  expect(texts).toEqual([429, "first", "broken"]);
});
