import { chatError, statusError, type ChatError } from "../../../src/client/errors.ts";
import { createBudget } from "../../../src/systems/openmanus/budget.ts";
import { LLM } from "../../../src/systems/openmanus/index.ts";
import { encodingFor, loadEncoding, type CountText } from "../../../src/systems/openmanus/token-counter.ts";
import { seededSurroundings } from "../../../src/client/surroundings.ts";
import type { Completions } from "../../../src/client/wire/completions.ts";
import type { GoldenRow } from "../../client/golden.ts";
import { SETTINGS } from "./settings.ts";

/** The result of a call. */
interface Called {
  readonly result: unknown;
  readonly request_count: number;
}

/** A row of `openmanus-calls`, over scripted answers. */
export async function call({ input }: GoldenRow, count?: CountText): Promise<Called> {
  const { method, args, settings, totals_before: before } = input;
  const world = seededSurroundings(1);
  const { completions, sent } = scripted(input.client);
  const model = settings.model ?? SETTINGS.model;
  const budget = createBudget(settings.max_input_tokens ?? null, { input: before[0], completion: before[1] });
  const llm = new LLM({
    settings: { ...SETTINGS, ...settings },
    completions,
    countText: count ?? (await loadEncoding(encodingFor(model))),
    budget,
    surroundings: { ...world, random: () => 1 },
  });
  const {
    messages,
    system_msgs: systemMsgs,
    images,
    tools,
    tool_choice: toolChoice,
    timeout,
    temperature,
    stream,
    ...extra
  } = args;
  const toolOptions = {
    ...(tools !== undefined && { tools }),
    ...("tool_choice" in args && { toolChoice: toolChoice ?? null }),
    ...(timeout !== undefined && { timeout }),
  };
  const common = { ...(systemMsgs && { systemMsgs }), ...("temperature" in args && { temperature }) };
  const streaming = stream === undefined ? {} : { stream };
  const result = await (
    method === "ask"
      ? llm.ask(messages, { ...common, ...streaming })
      : method === "ask_tool"
        ? llm
            .askTool(messages, { ...common, ...toolOptions, extra: { ...extra, ...streaming } })
            .then(shownMessage)
        : llm.askWithImages(messages, images, { ...common, ...streaming })
  ).catch((error: unknown) => ({ error: (error as ChatError).message }));
  const { input: totalInput, completion } = budget.totals;
  return {
    result,
    requests: sent.slice(0, 1),
    request_count: sent.length,
    max_waits_s: world.slept.map((ms) => ms / 1000),
    total_input_tokens: totalInput,
    total_completion_tokens: completion,
    log: world.logged.map(({ level, message }) => [level, message]),
  } as Called;
}

// oxlint-disable-next-line typescript/no-explicit-any -- as the rows have it
function shownMessage(message: any): unknown {
  return message && { content: message.content, tool_calls: message.tool_calls ?? null };
}

// oxlint-disable-next-line typescript/no-explicit-any
/** A client that plays a script, the last step again and again. */
// oxlint-disable-next-line typescript/no-explicit-any -- as the rows have it
function scripted(script: readonly any[]): { completions: Completions; sent: unknown[] } {
  const sent: unknown[] = [];
  const completions: Completions = {
    async create(params) {
      const step = script[Math.min(sent.length, script.length - 1)];
      sent.push(params);
      if (step.raise !== undefined) throw FAILURES[step.raise]?.();
      if (step.chunks !== undefined) return streamOf(step.chunks);
      const choices = step.choices.map((message: unknown) => ({ message }));
      return { choices, usage: { prompt_tokens: step.in ?? 11, completion_tokens: step.out ?? 7 } };
    },
  };
  return { completions, sent };
}

const FAILURES: Readonly<Record<string, () => Error>> = {
  auth: () => statusError(401, "bad key"),
  rate: () => statusError(429, "slow down"),
  connection: () => chatError("connection", "Connection error."),
  api: () => chatError("status", "oops", { status: 500 }),
  runtime: () => new Error("r"),
};

/** The pieces of a text as chunks; "$nochoices" is one without any. */
export async function* streamOf(pieces: readonly (string | null)[]): AsyncGenerator {
  for (const piece of pieces) {
    yield piece === "$nochoices" ? { choices: [] } : { choices: [{ delta: { content: piece } }] };
  }
}
