import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { isChatError } from "../../../src/client/errors.ts";
import { user } from "../../../src/client/make-message.ts";
import { collect } from "../../../src/client/merge-pieces.ts";
import { seededSurroundings } from "../../../src/client/surroundings.ts";
import { responseFromWire } from "../../../src/systems/agentscope/index.ts";
import { anthropicProvider } from "../../../src/systems/miroflow/anthropic-provider.ts";
import { openAiProvider } from "../../../src/systems/miroflow/openai-provider.ts";
import type { MiroProvider } from "../../../src/systems/miroflow/provider.ts";
import { readFirstChoice, joinChunks, readCompletionUsage } from "../../../src/client/wire/completions.ts";
import { standIn } from "../../systems/miroflow/stand-in.ts";
import { ANSWERS, ANTHROPIC, CHAT, wireOf, type Answer } from "./answer.ts";
import { CLIENTS, fetchGiving, type ClientName } from "./clients.ts";

type Reader = (answer: Answer) => Promise<unknown>;

const byAdapter = (name: ClientName): Reader => {
  let given: Answer = {};
  const client = CLIENTS[name]((...asked) => fetchGiving(wireOf(name, given))(...asked));
  return async (answer) => {
    given = answer;
    const request = {
      messages: [user("Hi")],
      ...(answer.output && { output: { schema: { type: "object" } } }),
    };
    const { raw: _, ...reply } =
      answer.stream === undefined ? await client.complete(request) : await collect(client.stream(request));
    return reply;
  };
};

const byAgentScope =
  (name: "openai" | "anthropic" | "gemini" | "ollama" | "dashscope"): Reader =>
  async (answer) => {
    const { created_at: _, ...read } = await responseFromWire(
      name,
      wireOf(name, answer),
      seededSurroundings(1),
    );
    return read;
  };

async function* streamOf({ stream = [] }: Answer): AsyncGenerator {
  yield* stream;
}

const byCompletions: Reader = async (answer) => {
  const whole = answer.whole ?? (await joinChunks(streamOf(answer)));
  return { ...readFirstChoice(whole), message: undefined, usage: readCompletionUsage(whole) };
};

const byMiroFlow =
  (provider: MiroProvider): Reader =>
  async ({ whole }) => {
    const { client, log } = await standIn(provider, () => structuredClone(whole));
    const messageHistory = [{ role: "user", content: "hi" }];
    const { response } = await client.createMessage({ systemPrompt: "s", messageHistory });
    const { messageHistory: history, ...read } = client.processLlmResponse(response, [...messageHistory]);
    const calls = client.extractToolCallsInfo(response, read.text ?? "");
    return { ...read, said: history.slice(1), calls, usage: client.usage, log: log.slice(0, 4) };
  };

const onlyWhole = (answers: Readonly<Record<string, Answer>>): Readonly<Record<string, Answer>> =>
  Object.fromEntries(Object.entries(answers).filter(([, answer]) => answer.whole !== undefined));

/** Who reads which answers. */
const READERS: Readonly<Record<string, readonly [Reader, Readonly<Record<string, Answer>>]>> = {
  ...Object.fromEntries(
    Object.entries(ANSWERS).map(([name, answers]) => [name, [byAdapter(name as ClientName), answers]]),
  ),
  ...Object.fromEntries(
    (["openai", "anthropic", "gemini", "ollama", "dashscope"] as const).map((name) => [
      `AgentScope's ${name}`,
      [byAgentScope(name), ANSWERS[name] ?? CHAT],
    ]),
  ),
  completions: [byCompletions, CHAT],
  "MiroFlow's openai": [byMiroFlow(openAiProvider), onlyWhole(CHAT)],
  "MiroFlow's anthropic": [byMiroFlow(anthropicProvider), onlyWhole(ANTHROPIC)],
};

test.each(Object.entries(READERS))(
  "what %s reads of answers that lack a field",
  async (name, [read, answers]) => {
    /** Differences already reported for another answer are skipped. */
    const seen = new Set<string>();
    const lines: string[] = [];
    for (const [title, answer] of Object.entries(answers).filter(isOnce)) {
      const whole = await told(() => read(answer));
      for (const [place, lacking] of eachLacking(answer)) {
        const effect = changes(whole, await told(() => read(lacking)));
        const kind = `${place.replace(/\d+/g, "#")}: ${effect}`;
        if (seen.size < seen.add(kind).size) lines.push(`${title} − ${place}: ${effect}`);
      }
    }

    // `vitest FILE -u` writes the page anew.
    await expect([...lines, ""].join("\n")).toMatchFileSnapshot(`left-out/${name}.txt`);
  },
);

/** Answers that differ in nothing but the reason for which they ended lack the same fields. */
function isOnce(
  [title]: readonly [string, Answer],
  index: number,
  all: readonly (readonly [string, Answer])[],
) {
  return !title.startsWith("ended by") || !all[index - 1]?.[0].startsWith("ended by");
}

/** An answer once for each of its fields, without it. */
function* eachLacking(answer: Answer): Generator<readonly [place: string, lacking: Answer]> {
  const { whole, stream } = answer;
  const text = JSON.stringify(whole ?? stream);
  for (const path of pathsIn(whole ?? stream)) {
    const copy: unknown = JSON.parse(text);
    let owner = copy as Record<string, unknown>;
    for (const step of path.slice(0, -1)) owner = owner[step] as Record<string, unknown>;
    delete owner[path.at(-1)!];
    const lacking = (whole === undefined ? { stream: copy } : { whole: copy }) as Answer;
    yield [path.join("."), { ...answer, ...lacking }];
  }
}

/** The places of all fields in a value, not those of items. */
function* pathsIn(value: unknown, above: readonly string[] = []): Generator<readonly string[]> {
  if (typeof value !== "object" || value === null) return;
  for (const [step, inner] of Object.entries(value)) {
    const path = [...above, step];
    if (!Array.isArray(value)) yield path;
    yield* pathsIn(inner, path);
  }
}

/** Returns the value that is read, or the failure. */
async function told(read: () => Promise<unknown>): Promise<unknown> {
  try {
    return JSON.parse(JSON.stringify(await read()));
  } catch (error) {
    return isChatError(error) ? `${error.kind}: ${error.message}` : `failed: ${String(error)}`;
  }
}

/** Returns each place where a value changed, with its new value. */
function changes(before: unknown, after: unknown): string {
  if (isDeepStrictEqual(before, after)) return "the same";
  if (typeof after !== "object" || after === null || typeof before !== "object") return JSON.stringify(after);
  const [was, is] = [before as Record<string, unknown>, after as Record<string, unknown>];
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])];
  const changed = names.filter((name) => !isDeepStrictEqual(was[name], is[name]));
  return changed.map((name) => `${name} ${JSON.stringify(is[name]) ?? "gone"}`).join("; ");
}
