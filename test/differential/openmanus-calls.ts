import { isDeepStrictEqual } from "node:util";
import { isFields } from "../../src/core/base/lenient.ts";
import type { ChatError } from "../../src/client/errors.ts";
import { formatMessages, message } from "../../src/systems/openmanus/messages.ts";
import { createTokenCounter } from "../../src/systems/openmanus/token-counter.ts";
import { call } from "../systems/openmanus/call.ts";
import type { Differential } from "./system.ts";

interface ManusCase {
  readonly what: keyof typeof OURS;
  // oxlint-disable-next-line typescript/no-explicit-any -- each kind of case has a different shape
  readonly input: any;
}

/** What OpenManus's client formats, counts, sends, refuses and logs; a token is a character. */
export const openmanusCalls: Differential<ManusCase> = {
  name: "Calls (OpenManus)",
  results: "openmanus.ndjson",
  ours: async ({ what, input }) => withoutFailures(await OURS[what](input)),
  theirs: withoutFailures,
  documented({ what, input }, results) {
    const [ours, theirs] = [uncounted(results.ours), uncounted(results.theirs)];
    if (what !== "call" || !isDeepStrictEqual(ours, theirs)) return undefined;
    if (input.method === "ask_with_images") return "completions about pictures are counted [OM-D10]";
    return isFields(ours["result"]) ? "a failed call is not counted [OM-D2]" : undefined;
  },
};

/** What failures are called in the log is each one's own. */
function withoutFailures(result: unknown): unknown {
  const { log, ...rest } = result as { log?: readonly (readonly [string, string])[] };
  return log === undefined ? result : { ...rest, log: log.filter(([level]) => level !== "error") };
}

function uncounted(result: unknown): Readonly<Record<string, unknown>> {
  const { totals: _, log: __, ...rest } = result as { totals?: unknown; log?: unknown };
  return rest;
}

const characters = (text: string): number => Array.from(text).length;

/* oxlint-disable typescript/no-explicit-any -- as in ManusCase */
const OURS = {
  async call(input: any): Promise<unknown> {
    const row = { name: "random", input, expected: undefined };
    const { result, requests, total_input_tokens, total_completion_tokens, log } = (await call(
      row,
      characters,
    )) as any;
    return {
      result,
      request: requests[0] ?? null,
      totals: [total_input_tokens, total_completion_tokens],
      log,
    };
  },
  format({ messages, supports_images }: any): unknown {
    try {
      const made = messages.map((one: any) => (one?.$message ? message(one.$message) : one));
      return formatMessages(made, supports_images);
    } catch (error) {
      return { error: (error as ChatError).message };
    }
  },
  count: (messages: any): unknown => createTokenCounter(characters).countMessageTokens(messages),
};
/* oxlint-enable typescript/no-explicit-any */
