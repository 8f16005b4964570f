import { expect, test } from "vitest";
import { chatError, seededSurroundings } from "../../../src/client/index.ts";
import {
  ensureSummaryContext,
  formatResponseForLog,
  openAiProvider,
  readSettings,
  safeToolNames,
  tryAgain,
} from "../../../src/systems/miroflow/index.ts";
import { LLM } from "./stand-in.ts";

const settingsOf = (llm: object, agent: object = { keep_tool_result: -1 }) => readSettings({ llm, agent });

test.each(Object.keys(LLM))("the setting %s is named where it is missing or wrong", (name) => {
  const { [name as "provider"]: _, ...rest } = LLM;

  expect(() => settingsOf(rest)).toThrow(`llm.${name}: `);
  expect(() => settingsOf({ ...LLM, [name]: [] })).toThrow(`llm.${name}: must be `);
});

test("no tokens at all are refused", () => {
  expect(() => settingsOf({ ...LLM, max_tokens: 0 })).toThrow(
    "llm.max_tokens: must be a whole number above 0",
  );
});

test("optional settings have defaults, one token is enough, and the number of kept results is required", () => {
  const optional = { apiKey: null, baseUrl: null, useToolCalls: null, repetitionPenalty: 1, topK: -1 };
  const given = { max_tokens: 1, use_tool_calls: false, repetition_penalty: 2 };

  expect(settingsOf(LLM)).toMatchObject(optional);
  expect(settingsOf({ ...LLM, ...given })).toMatchObject({
    maxTokens: 1,
    useToolCalls: false,
    repetitionPenalty: 2,
  });
  expect(() => settingsOf(LLM, {})).toThrow("agent.keep_tool_result: is missing");
});

const calling = (limits: object) => {
  const surroundings = seededSurroundings(1);
  return { limits: { deadline: 100, ...limits }, surroundings, signal: new AbortController().signal };
};

test.each<readonly [limits: object, tries: number]>([
  [{ waitMs: 10 }, 10],
  [{ waitMs: 50 }, 2],
  [{ waitMs: 99 }, 2],
  [{ waitMs: 100 }, 1],
  [{ waitMs: 50, tryMs: 49 }, 2],
  [{ waitMs: 50, tryMs: 50 }, 1],
  [{ waitMs: 10, tries: 3 }, 3],
])(
  "with the limits %j a call that would not do is tried %i times, and then its time is over",
  async (limits, tries) => {
    let tried = 0;
    const rules = { tries: 20, waitMs: 1, onError: () => true };

    await expect(
      tryAgain(calling(limits) as never, rules, async () => {
        tried += 1;
        return { again: true };
      }),
    ).rejects.toMatchObject({ kind: "timeout", message: "The time for all tries is over." });
    expect(tried).toBe(tries);
  },
);

test.each<readonly [kind: "timeout" | "cancelled", goesOn: boolean, tries: number]>([
  ["timeout", true, 3],
  ["timeout", false, 1],
  ["cancelled", true, 1],
])(
  "a failure %s that may be retried (%s) is tried %i times, and thrown unchanged",
  async (kind, goesOn, tries) => {
    let tried = 0;
    const failure = chatError(kind, "no");
    const rules = { tries: 3, waitMs: 1, onError: () => goesOn };

    await expect(
      tryAgain(calling({}) as never, rules, async () => {
        tried += 1;
        throw failure;
      }),
    ).rejects.toBe(failure);
    expect(tried).toBe(tries);
    expect("tries" in failure).toBe(tries > 1);
  },
);

test("a log shows texts and calls of blocks and choices, and counts calls when there are some", () => {
  const log = (response: object): unknown => formatResponseForLog(response, "r");

  expect(
    log({ content: [{ type: "text" }, { type: "tool_use", id: "c", name: "f" }, { type: "odd" }] }),
  ).toEqual({
    response_type: "r",
    content: [
      { type: "text", text: "" },
      { type: "tool_use", id: "c", name: "f", input: "None" },
    ],
  });
  expect(
    log({ choices: [{ finish_reason: "stop", message: { role: "a", content: "x", tool_calls: [] } }] }),
  ).toEqual({
    response_type: "r",
    choices: [{ finish_reason: "stop", message: { role: "a", content: "x" } }],
  });
  expect(log({ choices: [{ message: { role: "a", content: null, tool_calls: [{}, {}] } }] })).toMatchObject({
    choices: [{ message: { tool_calls_count: 2 } }],
  });
});

test("a failed count is reported, and the guard continues with an estimate", () => {
  const logged: unknown[] = [];
  const guard = (thrown: unknown): unknown =>
    ensureSummaryContext([{ role: "user", content: "hi" }], "sum up", {
      lastCall: {},
      maxTokens: 1,
      maxContextLength: 100_000,
      countTokens: () => {
        throw thrown;
      },
      log: (...line: readonly unknown[]) => void logged.push(line.slice(0, 3)),
    });

  expect(guard(new Error("no tokens"))).toMatchObject({ continues: true });
  guard("odd");

  expect(logged.filter((line) => (line as string[])[0] === "error")).toEqual([
    ["error", "LLM | Token Estimation Error", "Error: no tokens"],
    ["error", "LLM | Token Estimation Error", "Error: no tokens"],
    ["error", "LLM | Token Estimation Error", "Error: odd"],
    ["error", "LLM | Token Estimation Error", "Error: odd"],
  ]);
});

test("names that a provider takes are short, of plain letters, and never two places' name", () => {
  const names = safeToolNames();
  const nameOf = (server: string, tool: string): string => names.nameOf({ server, tool });

  expect(nameOf("s", "t")).toBe("s-t");
  expect(nameOf("s_", "t")).toBe("s_-t");
  expect(nameOf("s_", "t")).toBe("s_-t");
  expect(nameOf("s.", "t")).toMatch(/^s_-t_[\da-f]{8}$/u);
  expect(nameOf("s", "x".repeat(62))).toMatch(/^s-x+$/u);
  expect(nameOf("s", "x".repeat(63))).toMatch(/^s-x{53}_[\da-f]{8}$/u);
});

/** Calls MiroFlow's OpenAI with these answers; the levels and steps of its log, and its settings of each try. */
async function loggedOf(
  answers: readonly unknown[],
  tries: number,
): Promise<{ log: unknown[]; sent: unknown[] }> {
  const log: unknown[] = [];
  const sent: unknown[] = [];
  const left = [...answers];
  const call = {
    settings: settingsOf(LLM),
    systemPrompt: "",
    history: [{ role: "user", content: "hi" }],
    keepToolResult: -1,
    retention: {},
    limits: { deadline: 1e9, tries, waitMs: 1 },
    surroundings: seededSurroundings(1),
    signal: new AbortController().signal,
    onUsage: () => undefined,
    log: (level: string, step: string, text: string) => void log.push([level, step, text]),
    connection: {
      send: async (params: { max_tokens: number }, options: object) => {
        sent.push([params.max_tokens, options]);
        const answer = left.shift();
        if (answer instanceof Error) throw answer;
        return answer;
      },
    },
  };
  await openAiProvider.createMessage(call as never).catch(() => undefined);
  return { log, sent };
}

const choice = (content: string, reason = "stop"): object => ({
  choices: [{ message: { content }, finish_reason: reason }],
});
const REPEAT = "0123456789".repeat(5).repeat(6);

test("an answer that is cut or repeats itself is reported, and accepted at the last try", async () => {
  const { log, sent } = await loggedOf([choice("a", "length"), choice(REPEAT), choice("b", "length")], 3);

  expect(log).toEqual([
    ["info", "LLM | Response Status", "length"],
    [
      "warning",
      "LLM | Length Limit Reached",
      "Response was truncated due to length limit (attempt 1/3). Increasing max_tokens to 4505 and retrying...",
    ],
    ["info", "LLM | Response Status", "stop"],
    [
      "warning",
      "LLM | Repeat Detected",
      "Severe repeat: the last 50 chars appeared over 5 times (attempt 2/3), retrying...",
    ],
    ["info", "LLM | Response Status", "length"],
    [
      "warning",
      "LLM | Length Limit Reached - Returning Truncated Response",
      "Response was truncated after 3 attempts. Returning truncated response to allow ReAct loop to continue.",
    ],
  ]);
  expect(sent).toMatchObject([
    [4096, {}],
    [4505, {}],
    [4505, {}],
  ]);
});

test("an answer without choices is a failure in words", async () => {
  const { log } = await loggedOf([{}], 1);

  expect(log).toEqual([["error", "LLM | API Error", "Error after 1 attempts: The answer has no choices"]]);
});
