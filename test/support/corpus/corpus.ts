import {
  BATCHES,
  CONVERSATIONS,
  MESSAGE_BATCHES,
  MODELS_AND_FILES,
} from "../../../src/core/protocol/table/kept.ts";
import { GEMINI_RESOURCES } from "../../../src/core/protocol/table/google.ts";
import { DECISIONS, OPENAI_RESOURCES } from "../../../src/core/protocol/table/resources.ts";
import { ANTHROPIC_RESOURCES } from "../../../src/core/protocol/table/stored.ts";
import { createProviders } from "../../../src/core/protocol/registry.ts";
import { operationOf, type RecordedExchange } from "../recorded-exchange.ts";
import { messages } from "./anthropic.ts";
import { bedrockMakers } from "./bedrock.ts";
import { cohereMakers } from "./cohere.ts";
import { failures } from "./failures.ts";
import { fixtureMaker, fixtureMakers } from "./fixtures.ts";
import { geminiMakers } from "./gemini.ts";
import { chatCompletions } from "./openai-chat.ts";
import { responsesMakers } from "./openai-responses.ts";
import { dashscopeMakers, ollamaMakers } from "./own-wires.ts";
import type { GeneratedCall, Maker, Makers } from "./place.ts";
import { rowMakers } from "./rows.ts";
import { aVoice } from "./voice.ts";
import { jsonRequest } from "./wire.ts";

const SEED = 20_261_122;

const of = (operation: string, path?: [from: string, to: string]): Maker =>
  fixtureMaker("openai", "/v1", operation, path);

const items = [{ type: "message", role: "user", content: "Seven boats?" }];

const anthropicMakers: Makers = {
  ...rowMakers([...ANTHROPIC_RESOURCES, ...MODELS_AND_FILES, ...MESSAGE_BATCHES]),
  ...fixtureMakers("anthropic", "/v1"),
  messages,
};

const openaiMakers: Makers = {
  ...fixtureMakers("openai", "/v1"),
  ...rowMakers([...MODELS_AND_FILES, ...BATCHES, ...CONVERSATIONS]),
  "files.create": of("files.create"),
  "batches.create": of("batches.create"),
  "conversations.items.list": of("conversations.items.list"),
  "responses.input_items": of("responses.input_items"),
  "conversations.items.create": (place) =>
    of("conversations.items.list")(place).map((call) => ({
      ...call,
      request: jsonRequest(call.request.path, { items }),
    })),
  "audio.translations": of("audio.transcriptions", ["transcriptions", "translations"]),
  "images.variations": of("images.edits", ["edits", "variations"]),
  "images.edits": (place) => [
    ...of("images.edits")(place),
    ...of("images.generations", ["generations", "edits"])(place),
  ],
  "chat.completions": chatCompletions,
  ...responsesMakers,
};

const rerank = fixtureMaker("together", "/v1", "rerank");

/** Makers for the providers that have all of OpenAI's resources. */
const decisionMakers = rowMakers([DECISIONS]);
const allOpenaiMakers: Makers = { ...openaiMakers, ...decisionMakers, ...rowMakers(OPENAI_RESOURCES) };
const geminiRows: Makers = { ...decisionMakers, ...rowMakers(GEMINI_RESOURCES, "google") };

const compatibleMakers = pickMakers(/^(?:chat\.completions|completions|embeddings|responses)$/);

interface Speaker {
  readonly provider: string;
  /** Prefix of the paths of its operations. */
  readonly base: string;
  readonly makers: Makers;
  readonly most: number;
}

/** The wire families of each provider, with their addresses. A provider is listed once for each family. */
const SPEAKERS: readonly Speaker[] = [
  { provider: "openai", base: "/v1", makers: allOpenaiMakers, most: 40 },
  { provider: "anthropic", base: "/v1", makers: anthropicMakers, most: 34 },
  { provider: "gemini", base: "/v1beta", makers: geminiMakers, most: 12 },
  {
    provider: "vertex",
    base: "/v1/projects/corpus/locations/global/publishers/google",
    makers: geminiMakers,
    most: 6,
  },
  { provider: "bedrock", base: "", makers: bedrockMakers, most: 10 },
  { provider: "cohere", base: "", makers: cohereMakers, most: 10 },
  { provider: "ollama", base: "", makers: ollamaMakers, most: 4 },
  { provider: "dashscope", base: "/api/v1", makers: dashscopeMakers, most: 3 },
  { provider: "azure", base: "/openai/v1", makers: allOpenaiMakers, most: 6 },
  { provider: "groq", base: "/openai/v1", makers: allOpenaiMakers, most: 7 },
  {
    provider: "cerebras",
    base: "/v1",
    makers: pickMakers(/^(?:(?:chat\.)?completions$|batches\.|models\.|files\.)/),
    most: 2,
  },
  { provider: "deepseek", base: "", makers: openaiMakers, most: 7 },
  {
    provider: "mistral",
    base: "/v1",
    makers: {
      ...pickMakers(/^(?!conversations|responses\.(?:delete|input_items))/),
      ...fixtureMakers("mistral", "/v1"),
      "agents.completions": (place) =>
        ["agents", "chat"].flatMap((name) =>
          fixtureMaker("mistral", "/v1", `${name}.completions`, ["chat", "agents"])(place),
        ),
      "chat.completions": chatCompletions,
    },
    most: 6,
  },
  { provider: "xai", base: "/v1", makers: { ...fixtureMakers("xai", "/v1"), ...openaiMakers }, most: 6 },
  { provider: "openrouter", base: "/api/v1", makers: { ...openaiMakers, rerank }, most: 6 },
  { provider: "together", base: "/v1", makers: { ...openaiMakers, rerank }, most: 3 },
  { provider: "huggingface", base: "/v1", makers: openaiMakers, most: 4 },
  { provider: "moonshot", base: "/v1", makers: allOpenaiMakers, most: 2 },
  {
    provider: "vscode",
    base: "/v1",
    makers: pickMakers(/^(?:chat\.completions|responses\.input_tokens)$/),
    most: 2,
  },
  { provider: "gemini", base: "/v1beta", makers: geminiRows, most: 1 },
  { provider: "vertex", base: "/v1beta", makers: geminiRows, most: 1 },
  { provider: "foundry", base: "/anthropic/v1", makers: anthropicMakers, most: 2 },
  { provider: "deepseek", base: "/anthropic/v1", makers: { messages }, most: 2 },
  { provider: "dashscope", base: "/apps/anthropic/v1", makers: { messages }, most: 2 },
  { provider: "xai", base: "/v1", makers: { messages }, most: 2 },
  { provider: "openrouter", base: "/api/v1", makers: { messages }, most: 2 },
  {
    provider: "gemini",
    base: "/v1beta/openai",
    makers: { ...compatibleMakers, ...pickMakers(/^(?:images|batches|files)\./) },
    most: 2,
  },
  {
    provider: "vertex",
    base: "/v1/projects/corpus/locations/global/endpoints/openapi",
    makers: compatibleMakers,
    most: 1,
  },
  {
    provider: "vertex",
    base: "/v1beta/openai",
    makers: pickMakers(/^(?:images|batches|files)\./),
    most: 1,
  },
  { provider: "ollama", base: "/v1", makers: compatibleMakers, most: 2 },
  { provider: "bedrock", base: "/openai/v1", makers: compatibleMakers, most: 1 },
  { provider: "cohere", base: "/compatibility/v1", makers: compatibleMakers, most: 1 },
  {
    provider: "dashscope",
    base: "/compatible-mode/v1",
    makers: {
      ...compatibleMakers,
      ...decisionMakers,
      ...pickMakers(/^(?:responses|conversations|batches|models|files)(?:\.|$)/),
    },
    most: 3,
  },
];

/**
 * Traffic made from a seed: every operation of every provider, whole and streamed, with tools, thoughts, citations,
 * errors and odd framing. The texts are our own; the formats are the providers'. Tests of a process share it.
 */
export function corpus(): readonly RecordedExchange[] {
  made ??= makeCorpus(SEED);
  return made;
}

let made: readonly RecordedExchange[] | undefined;

/** Makes the traffic of a seed. `cut` splits the texts of streams. */
export function makeCorpus(
  seed: number,
  cut?: (text: string) => readonly string[],
): readonly RecordedExchange[] {
  const providers = createProviders();
  const calls = SPEAKERS.flatMap(({ provider, base, makers, most }) =>
    Object.entries(makers).flatMap(([operation, make]) => {
      const voice = aVoice(seedFor(seed, `${provider} ${operation}`), cut);
      return make({ provider, base, voice, most }).map((one) => ({ ...one, provider, operation }));
    }),
  );
  return [...calls, ...failures(aVoice(seedFor(seed, "failures")))].map(
    ({
      provider,
      operation,
      name,
      request,
      reply,
    }: GeneratedCall & { provider: string; operation: string }) => ({
      source: `corpus/${provider}/${operation}/${name}`,
      provider,
      operation: operationOf(providers, { provider, request }),
      request,
      reply,
    }),
  );
}

/** A few calls of each operation in each form, by whichever provider: for what takes its time with each. */
export function sample(exchanges: readonly RecordedExchange[]): readonly RecordedExchange[] {
  const seen = new Map<string, number>();
  return exchanges.filter(({ operation, reply }) => {
    const form = `${operation} ${reply.status} ${reply.contentType.split(";", 1)[0]}`;
    const count = (seen.get(form) ?? 0) + 1;
    seen.set(form, count);
    return count <= MOST_ALIKE;
  });
}

const MOST_ALIKE = 4;

/** One for each operation, so that a change of one changes no other. */
function seedFor(seed: number, name: string): number {
  return Array.from(name).reduce((sum, letter) => (Math.imul(sum, 31) + letter.charCodeAt(0)) | 0, seed);
}

/** Picks the makers of OpenAI's operations whose names match, for a provider that has these. */
function pickMakers(operations: RegExp): Makers {
  return Object.fromEntries(Object.entries(openaiMakers).filter(([operation]) => operations.test(operation)));
}
