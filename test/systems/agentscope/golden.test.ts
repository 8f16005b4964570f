import { describe } from "vitest";
import { goldenFile, type GoldenRow } from "../../client/golden.ts";
import { runModelRow } from "./golden-model.ts";
import { comparable } from "./golden-text.ts";

describe("AgentScope's models match the original", () => {
  const openai = goldenFile("agentscope-openai");
  openai.test(
    "OpenAI: arguments, streams, whole answers, structured answers and their fallbacks [AS-11, AS-12, AS-15, AS-16, AS-17, AS-18, AS-19, AS-20, AS-21, AS-22, AS-23, AS-24, AS-D1, AS-D3]",
    {
      run: runModelRow,
      reduce: comparable,
      instead: {
        "AS-D1": (row) => changed(row, { metadata: { name: "Ann", age: 3 } }),
        "AS-D3": ({ expected }) => ({
          ...without(expected, "error"),
          responses: [sample({ type: "text", text: "x" })],
        }),
      },
    },
  );
  openai.done();

  const anthropic = goldenFile("agentscope-anthropic");
  anthropic.test(
    "Anthropic: arguments, streams, whole answers and structured answers [AS-25, AS-26, AS-27, AS-28, AS-29, AS-30, AS-D9]",
    {
      run: runModelRow,
      reduce: comparable,
      instead: {
        // The end of the stream is in the one last response, which another test covers.
        "AS-D2": "original",
        "AS-D9": ({ expected }) => ({
          ...expected,
          error: {
            type: "validation",
            message: "Anthropic `messages` must be a list with at least one message, got an empty one.",
          },
        }),
      },
    },
  );
  anthropic.done();

  const dashscope = goldenFile("agentscope-dashscope");
  dashscope.test(
    "DashScope: arguments, endpoints, streams, whole answers and structured answers [AS-31, AS-32, AS-33, AS-34, AS-35, AS-D4]",
    {
      run: runModelRow,
      reduce: comparable,
      instead: {
        "AS-D4": (row) =>
          changed(row, {
            content: [
              { type: "thinking", thinking: "why" },
              { type: "text", text: "x" },
            ],
          }),
      },
    },
  );
  dashscope.done();

  const gemini = goldenFile("agentscope-gemini");
  gemini.test(
    "Gemini: schemas, streams, whole answers, signatures and structured answers [AS-36, AS-37, AS-38, AS-39, AS-40, AS-D5]",
    {
      run: runModelRow,
      reduce: comparable,
      instead: { "AS-D5": (row) => changed(row, { usage: row.expected.responses[0].usage }) },
    },
  );
  gemini.done();

  const ollama = goldenFile("agentscope-ollama");
  ollama.test(
    "Ollama: arguments, streams, whole answers and structured answers [AS-41, AS-42, AS-43, AS-D6]",
    {
      run: runModelRow,
      reduce: comparable,
      instead: {
        "AS-D6": ({ expected }) => ({
          ...expected,
          responses: [
            { ...expected.responses[0], content: [called(0, 1)] },
            { ...expected.responses[1], content: [called(0, 1), called(1, 2)] },
            { ...expected.responses[2], content: [called(0, 1), called(1, 2)] },
          ],
        }),
      },
    },
  );
  ollama.done();

  const random = goldenFile("agentscope-random");
  random.test(
    "random answers of all five: structured ones, empty texts, log lines [AS-10, AS-12, AS-30, AS-34]",
    {
      run: runModelRow,
      reduce: comparable,
    },
  );
  random.done();
});

/** The row's expectation with other values in all its responses. */
function changed({ expected }: GoldenRow, values: object): unknown {
  return { ...expected, responses: expected.responses.map((one: object) => ({ ...one, ...values })) };
}

function without(value: Record<string, unknown>, name: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([own]) => own !== name));
}

function called(index: number, a: number): object {
  return { type: "tool_use", id: `${index}_f`, name: "f", input: { a } };
}

function sample(block: object): object {
  return { content: [block], id: "cmpl-1", created_at: "$now", type: "chat", usage: null, metadata: null };
}
