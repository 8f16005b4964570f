import { chatError, statusError } from "../../../src/client/errors.ts";
import {
  createMiroClient,
  type MiroClient,
  type MiroClientOptions,
} from "../../../src/systems/miroflow/client.ts";
import type { MiroConnection, MiroProvider } from "../../../src/systems/miroflow/provider.ts";
import { seededSurroundings, type SeededSurroundings } from "../../../src/client/surroundings.ts";

/** Settings of a model, with those that have no default. */
export const LLM = {
  provider: "openai",
  model_name: "m",
  temperature: 0.3,
  top_p: 1,
  min_p: 0,
  top_k: -1,
  max_context_length: 2000,
  max_tokens: 4096,
  async_client: true,
};

export function config(llm: object = {}): object {
  return { llm: { ...LLM, ...llm }, agent: { keep_tool_result: -1 } };
}

export interface StandIn {
  readonly client: MiroClient;
  readonly sent: Readonly<Record<string, unknown>>[];
  readonly log: (readonly [level: string, step: string, message: string])[];
  readonly world: SeededSurroundings;
}

/** A client of a provider whose requests are answered by a function, in a world without time. */
export async function standIn(
  provider: MiroProvider,
  send: (params: Readonly<Record<string, unknown>>, signal: AbortSignal) => unknown,
  options: Partial<MiroClientOptions> = {},
): Promise<StandIn> {
  const sent: Readonly<Record<string, unknown>>[] = [];
  const log: (readonly [string, string, string])[] = [];
  const world = seededSurroundings(1);
  const connection: MiroConnection = {
    client: {},
    async send(params, { signal }) {
      sent.push(params);
      return send(params, signal);
    },
  };
  const client = await createMiroClient(
    { ...provider, connect: async () => connection },
    {
      taskId: "t",
      cfg: config(),
      taskLog: (level, step, message) => void log.push([level, step, message]),
      surroundings: world,
      timer: () => () => undefined,
      ...options,
    },
  );
  log.length = 0;
  return { client, sent, log, world };
}

/** Returns the next step of a script; the last one repeats. */
// oxlint-disable-next-line typescript/no-explicit-any -- as the golden rows have it
export function scriptOf(steps: readonly any[]): () => any {
  let at = 0;
  return () => steps[Math.min(at++, steps.length - 1)];
}

/** Returns the error of a scripted failure. */
export function failure(kind: string, text = ""): Error {
  if (kind === "timeout") return chatError("timeout", text);
  if (kind === "cancel") return chatError("cancelled", text);
  return kind === "server" ? statusError(500, text) : new Error(text);
}

/** A value of the golden rows without `{"$dict": …}`, which marks what is a dict to Python. */
// oxlint-disable-next-line typescript/no-explicit-any -- as the rows have it
export function plain(value: any): any {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  if ("$dict" in value) return value.$dict;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
}
