import { isDeepStrictEqual } from "node:util";
import { runModelRow } from "../systems/agentscope/golden-model.ts";
import { comparable } from "../systems/agentscope/golden-text.ts";
import type { Differential } from "./system.ts";

interface ModelCase {
  readonly provider: "openai" | "anthropic" | "dashscope" | "gemini" | "ollama";
  readonly init: Readonly<Record<string, unknown>>;
  readonly call: Readonly<Record<string, unknown>>;
  readonly script: readonly object[];
}

/** Whole answers and streams of the five providers, read by AgentScope's models. */
export const agentscopeAnswers: Differential<ModelCase> = {
  name: "Model answers (AgentScope)",
  results: "agentscope.ndjson",
  ours: async (input) => compared(await runModelRow({ name: "random", input, expected: undefined })),
  theirs: compared,
  documented: (input, { ours, theirs }) =>
    DEFECTS.find(
      ({ of, without }) =>
        of === input.provider && isDeepStrictEqual(without(ours, input), without(theirs, input)),
    )?.why,
};

/** Gemini's SDK gets a class and writes its schema; here the schema is given. */
function compared(result: unknown): unknown {
  const { requests, ...rest } = comparable(result) as {
    requests: { config?: { responseSchema?: unknown } }[];
  };
  for (const { config } of requests)
    if (config?.responseSchema !== undefined) config.responseSchema = "a schema";
  return { ...rest, requests };
}

interface Defect {
  readonly of: ModelCase["provider"];
  /** A result without what the defect changes. */
  readonly without: (result: unknown, input: ModelCase) => unknown;
  readonly why: string;
}

interface ModelResult {
  readonly responses?: readonly {
    readonly content: readonly { readonly type: string }[];
    readonly usage: unknown;
  }[];
}

/** A result with other values in each of its responses. */
function withoutIn(
  result: unknown,
  change: (response: NonNullable<ModelResult["responses"]>[number]) => object,
): unknown {
  const { responses = [] } = result as ModelResult;
  return { ...(result as object), responses: responses.map((one) => ({ ...one, ...change(one) })) };
}

const unsigned = (content: readonly object[]): object[] =>
  content.map((block) => ({ ...block, signature: undefined }));

const DEFECTS: readonly Defect[] = [
  {
    of: "dashscope",
    without: (result) =>
      withoutIn(result, ({ content }) => ({ content: content.filter(({ type }) => type !== "thinking") })),
    why: "the thoughts of a whole answer stay [AS-D4]",
  },
  {
    of: "gemini",
    without: (result) => withoutIn(result, () => ({ usage: undefined })),
    why: "a chunk without usage leaves what is known [AS-D5]",
  },
  {
    of: "anthropic",
    without: (result, { init }) =>
      init["stream_tool_parsing"] === false
        ? withoutIn(result, ({ content }) => ({ content: unsigned(content) }))
        : result,
    why: "a late signature is reported [AS-D2]",
  },
  {
    of: "ollama",
    without: (result) =>
      withoutIn(result, ({ content }) => ({ content: content.filter(({ type }) => type !== "tool_use") })),
    why: "a tool called in two chunks is called twice [AS-D6]",
  },
];
