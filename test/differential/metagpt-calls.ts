import { isDeepStrictEqual } from "node:util";
import { codeAnswer } from "../../src/systems/metagpt/code-answer.ts";
import { aaskBatchKey, aaskCodeKey, aaskKey } from "../../src/systems/metagpt/keys.ts";
import { maskBase64Data, message, seesImages } from "../../src/systems/metagpt/message.ts";
import { openAiLlm } from "../../src/systems/metagpt/openai-llm.ts";
import { readFirstChoice } from "../../src/client/wire/completions.ts";
import type { Differential } from "./system.ts";

interface MetaCase {
  readonly what: keyof typeof OURS;
  // oxlint-disable-next-line typescript/no-explicit-any -- each kind of case has a different shape
  readonly input: any;
}

/** Keys of MetaGPT's mock, what its client sends, the code in answers, and what its log hides. */
export const metagptCalls: Differential<MetaCase> = {
  name: "Calls (MetaGPT)",
  results: "metagpt.ndjson",
  async ours({ what, input }) {
    try {
      return await OURS[what](input);
    } catch {
      return { error: "refused" };
    }
  },
  documented: ({ what, input }, { theirs }) =>
    what === "send" && input.args.msg.length === 0 && isDeepStrictEqual(theirs, { messages: [] })
      ? "no message at all is refused"
      : undefined,
  theirs: (result) =>
    typeof result === "object" && result !== null && "error" in result && Object.keys(result).length === 1
      ? { error: "refused" }
      : result,
};

/* oxlint-disable typescript/no-explicit-any -- as in MetaCase */
const OURS = {
  key({ method, args, model = "gpt-4-turbo" }: any): unknown {
    if (method === "aask") return aaskKey(args.msg, args.system_msgs);
    if (method === "aask_batch") return aaskBatchKey(made(args.msgs));
    return aaskCodeKey(made(args.messages), { seesImages: seesImages(model) });
  },
  code({ arguments: text, content }: any): unknown {
    const calls = text === null ? {} : { tool_calls: [{ function: { name: "execute", arguments: text } }] };
    return codeAnswer(readFirstChoice({ choices: [{ message: { content, ...calls } }] }));
  },
  async send({ args, model, use_system_prompt: useSystemPrompt }: any): Promise<unknown> {
    let messages: unknown;
    const create = async (params: any): Promise<unknown> => {
      ({ messages } = params);
      return { choices: [{ message: { content: "R" } }] };
    };
    const { msg, system_msgs: systemMsgs, format_msgs: formatMsgs, images } = args;
    const options = { systemMsgs, formatMsgs, images, stream: false };
    await openAiLlm({ completions: { create }, model, useSystemPrompt }).aask(msg, options);
    return { messages };
  },
  mask: (shown: any): unknown => maskBase64Data(shown),
};
/* oxlint-enable typescript/no-explicit-any */

/** The marks of messages as messages. */
function made(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(made);
  if (typeof value !== "object" || value === null || !("$message" in value)) return value;
  const given = value.$message as {
    content: string;
    role?: string;
    metadata?: { images?: readonly string[] };
  };
  const { content, role, metadata } = given;
  return message(content, { ...(role !== undefined && { role }), images: metadata?.images ?? [] });
}
