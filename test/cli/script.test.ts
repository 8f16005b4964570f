import OpenAI, { type APIError, NotFoundError } from "openai";
import { expect, test } from "vitest";
import { send } from "../support/http-client.ts";
import { aProject, serving, tapedeck, type Served } from "./tapedeck.ts";

const SCRIPT = ["--mode", "lenient", "--script", "script.jsonl"];

test("a script's replies are given in order, each to the first call that it is for", async () => {
  const lines = [
    { reply: "for claude", provider: "anthropic" },
    { reply: "about snakes", text: "snake" },
    { reply: "twice", model: "gpt-4o-mini", times: 2 },
  ];
  const script = `"first"\n\n${lines.map((line) => JSON.stringify(line)).join("\n")}\n`;
  const served = await serving(SCRIPT, { cwd: aProject({ "script.jsonl": script }) });

  const texts = [];
  for (const text of ["a", "b", "a snake", "c"]) texts.push(await ask(served, text));
  const claude = await send(`${served.ready.url}/anthropic/v1/messages`, {
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      model: "claude-sonnet-4",
      max_tokens: 9,
      messages: [{ role: "user", content: "hi" }],
    }),
  });

  expect(texts).toEqual(["first", "twice", "about snakes", "twice"]);
  expect(JSON.parse(claude.text)).toMatchObject({ content: [{ text: "for claude" }] });
});

test("a script that runs dry is an error in the provider's shape, which its SDK does not try again", async () => {
  const script = JSON.stringify(["only", { reply: "x", model: "another" }]);
  const served = await serving(SCRIPT, { cwd: aProject({ "script.jsonl": script }) });

  await ask(served, "a");
  const failure: unknown = await ask(served, "b").catch((error: unknown) => error);

  expect(failure).toBeInstanceOf(NotFoundError);
  expect((failure as APIError).code).toBe("tapedeck_miss");
  expect((failure as Error).message).toContain(
    'The script has no reply for this gpt-4o-mini call ("b"): 1 of its 2 replies are left, and none is for this call.',
  );
});

test("a script that cannot be used is refused with its place before anything listens", async () => {
  const broken: Readonly<Record<string, string>> = {
    '"a"\n{"reply": }': "script.jsonl:2:11: a value is missing",
    '[{"text": "x"}]': 'script.jsonl:1:2: "[0]" has no reply',
    '{"reply": "x", "times": 0}': 'script.jsonl:1:25: "times" must be a number, 1 or more',
    '{"reply": "x", "modell": "y"}': 'script.jsonl:1:26: "modell" is unknown here',
    "": "script.jsonl: it is empty",
  };

  for (const [script, message] of Object.entries(broken)) {
    const { code, stderr } = await tapedeck(["serve", ...SCRIPT], {
      cwd: aProject({ "script.jsonl": script }),
    });

    expect(code).toBe(2);
    expect(stderr).toContain(message);
  }
  const cwd = aProject();
  expect((await tapedeck(["serve", ...SCRIPT], { cwd })).stderr).toContain(
    "The script script.jsonl cannot be read",
  );
  expect((await tapedeck(["serve", "--script", "x"], { cwd })).stderr).toContain(
    "--script has no effect in strict mode",
  );
});

async function ask({ ready }: Served, content: string): Promise<string | null | undefined> {
  const client = new OpenAI({ apiKey: "sk-test", baseURL: `${ready.url}/openai/v1` });
  const messages = [{ role: "user" as const, content }];
  const answer = await client.chat.completions.create({ model: "gpt-4o-mini", messages });
  return answer.choices[0]?.message.content;
}
