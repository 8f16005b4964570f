import OpenAI, { RateLimitError } from "openai";
import { expect, test } from "vitest";
import { anUpstream } from "./an-upstream.ts";
import { aProject, serving, tapedeck, type Served } from "./tapedeck.ts";

const LENIENT = ["--mode", "lenient", "--default", "one two three four five"];

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

test("chaos that cannot be used is refused before anything listens", async () => {
  const cwd = aProject({ "plan.json": '[{"status": 429, "cutAfter": 1}]' });
  const refused: Readonly<Record<string, string>> = {
    "429,quick": '"quick" is not a fault: it is not a known short form.',
    "plan.json": 'plan.json:1:2: "[0]" cannot combine status, cutAfter',
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
  const { origin, options } = await anUpstream();
  const cwd = aProject();
  const recording = await serving(["--mode", "record", ...options], { cwd });
  const say = async (by: Served): Promise<unknown> =>
    (await client(by, 0).chat.completions.create(ASKED)).choices[0]?.message.content;
  const recorded = [await say(recording), await say(recording)];
  await recording.end();

  const served = await serving(["--chaos", "429,ok,disconnect:1", "--upstream", `openai=${origin}`], { cwd });
  const texts = [];
  for (let call = 0; call < 3; call += 1)
    texts.push(
      await say(served).catch((error: unknown) => (error as { status?: number }).status ?? "broken"),
    );

  expect(recorded).toEqual(["Answer 1 to hi", "Answer 2 to hi"]);
  expect(texts).toEqual([429, "Answer 1 to hi", "broken"]);
});
