import { expect, test } from "vitest";
import { isChatError } from "../../../src/client/errors.ts";
import { seededSurroundings } from "../../../src/client/surroundings.ts";
import { responseFromWire } from "../../../src/systems/agentscope/index.ts";
import { readFirstChoice, joinChunks, readCompletionUsage } from "../../../src/client/wire/completions.ts";
import { type Answer, ANSWERS, CHAT, wireOf } from "../../support/provider-answers.ts";

const PROVIDERS = ["openai", "anthropic", "gemini", "ollama", "dashscope"] as const;

/** Timestamps of responses are in the local time zone. */
const LOCAL_TIME = /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}/g;

const told = async (ask: () => Promise<unknown>): Promise<string> => {
  try {
    return JSON.stringify(await ask()).replaceAll(LOCAL_TIME, "TIME");
  } catch (error) {
    if (!isChatError(error)) return `failed: ${String(error)}`;
    const { kind, status, provider, requestId, retryAfterMs } = error;
    return `${kind} ${JSON.stringify({ status, provider, requestId, retryAfterMs })}: ${error.message}`;
  }
};

test("AgentScope's readers read every answer, whole and streamed, as in the snapshot file read-wire.txt [AS-I5]", async () => {
  const lines: string[] = [];
  for (const provider of PROVIDERS)
    for (const [title, answer] of Object.entries(ANSWERS[provider] ?? CHAT)) {
      const { contentType, body } = wireOf(provider, answer);
      const read = (): Promise<unknown> =>
        responseFromWire(provider, { contentType, body }, seededSurroundings(1));
      lines.push(`# ${provider}: ${title}`, await told(read), "");
    }

  // `vitest FILE -u` updates the snapshot file.
  await expect(lines.join("\n")).toMatchFileSnapshot("read-wire.txt");
});

async function* streamOf({ stream = [] }: Answer): AsyncGenerator {
  yield* stream;
}

test("the reader of MetaGPT and OpenManus reads every chat completion as in the snapshot file", async () => {
  const lines: string[] = [];
  for (const [title, answer] of Object.entries(CHAT)) {
    const pieces: string[] = [];
    const read = async (): Promise<unknown> => {
      const whole =
        answer.whole ??
        (await joinChunks(streamOf(answer), {
          onText: (piece) => void pieces.push(piece),
          onThought: (piece) => void pieces.push(`(${piece})`),
        }));
      return { ...readFirstChoice(whole), usage: readCompletionUsage(whole), pieces };
    };
    lines.push(`# ${title}`, await told(read), "");
  }

  await expect(lines.join("\n")).toMatchFileSnapshot("../../client/wire/read-completions.txt");
});
