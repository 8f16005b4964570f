import { camel } from "./golden-words.ts";

/** The answers of an SDK, call by call. */
export type Script = readonly Step[];

interface Step {
  readonly chunks?: readonly unknown[];
  readonly response?: unknown;
  readonly parsed?: unknown;
  readonly raise?: string;
  readonly text?: string;
}

class BadRequestError extends Error {
  readonly status = 400;
}
class RateLimitError extends Error {
  readonly status = 429;
}
class APIError extends Error {}
class ValueError extends Error {}

const RAISED: Readonly<Record<string, new (text?: string) => Error>> = {
  bad_request: BadRequestError,
  rate: RateLimitError,
  api: APIError,
  value: ValueError,
};

/** SDKs that play a script and write down what they were asked. */
export function scriptedTransport(script: Script, sent: unknown[]) {
  let turn = 0;
  const next = async (api: string | undefined, args: object): Promise<Step> => {
    sent.push({ ...(api !== undefined && { api }), ...args });
    const step = script[turn++];
    if (step === undefined) throw new Error(`the script has no step ${turn}`);
    if (step.raise !== undefined) throw raised(step);
    return step;
  };
  const answer =
    (api: string, read: (value: unknown) => unknown = plain) =>
    async (args: object): Promise<unknown> => {
      const step = await next(api, args);
      return step.chunks === undefined ? read(step.response) : played(step.chunks, read);
    };
  return {
    openai: {
      create: answer("create"),
      parse: async (args: object) => {
        const step = await next("parse", args);
        const response = plain(step.response) as { choices: { message: object }[] };
        const [first, ...rest] = response.choices;
        const message = { ...first!.message, parsed: step.parsed };
        return { ...response, choices: [{ ...first, message }, ...rest] };
      },
      stream: async (args: object) => {
        const { chunks = [] } = await next("stream", args);
        const told = chunks.filter((chunk) => (chunk as { type?: string }).type !== "content.delta");
        return played(told, (chunk) => plain((chunk as { chunk?: unknown }).chunk ?? chunk));
      },
    },
    anthropic: answer("messages.create"),
    dashscope: { generation: answer("generation"), multimodal: answer("multimodal") },
    gemini: {
      generateContent: answer("generate_content", camelised),
      generateContentStream: answer("generate_content_stream", camelised),
    },
    ollama: answer("chat"),
  };
}

async function* played(chunks: readonly unknown[], read: (value: unknown) => unknown): AsyncGenerator {
  for (const chunk of chunks) {
    if (typeof chunk === "object" && chunk !== null && "raise" in chunk) throw raised(chunk as Step);
    yield read(chunk);
  }
}

function raised({ raise = "", text = "" }: Step): Error {
  const Kind = RAISED[raise];
  if (Kind === undefined) throw new Error(`the support knows no error "${raise}"`);
  return new Kind(text);
}

/** Returns a value without the marks of its Python type. */
function plain(value: unknown): unknown {
  return walked(value, (name) => name);
}

/** As the SDK in JavaScript spells it; what a tool call holds is the user's own. */
function camelised(value: unknown): unknown {
  return walked(value, camel);
}

function walked(value: unknown, spell: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => walked(item, spell));
  if (typeof value !== "object" || value === null) return value;
  if ("$dict" in value) return value.$dict;
  if ("$bytes_b64" in value) return value.$bytes_b64;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [spell(name), walked(item, spell)]));
}
