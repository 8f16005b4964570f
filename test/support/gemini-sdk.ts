import {
  ApiError,
  GoogleGenAI,
  type GenerateContentParameters,
  type GenerateContentResponse,
  type Part,
} from "@google/genai";
import type { ReadMessage, Reading, Sdk } from "./sdk-reading.ts";

/** The official `@google/genai` package, whole or streamed (its streams are always server-sent events). */
export function geminiSdk(streams: boolean): Sdk {
  return {
    async read(fetch, asked) {
      const chunks = await generated(geminiClient(fetch), asked as GeminiRequest, streams);
      return readingOf(chunks);
    },
    codeOf(error) {
      if (!(error instanceof ApiError)) return undefined;
      const said: unknown = JSON.parse(error.message);
      return (said as { error: { status: unknown } }).error.status;
    },
    statusOf: (error) => (error instanceof ApiError ? error.status : undefined),
  };
}

/** A request as it goes over the wire; the SDK has settings under `config`. */
type GeminiRequest = Pick<GenerateContentParameters, "contents"> & Readonly<Record<string, unknown>>;

export function geminiClient(
  fetch: typeof globalThis.fetch | undefined,
  baseUrl = "http://127.0.0.1:9",
): GoogleGenAI {
  return new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl, ...(fetch && { fetch }) } });
}

/** Every response of the SDK, parsed: one, or those of a stream. */
export async function generated(
  client: GoogleGenAI,
  { contents, systemInstruction, tools, generationConfig }: GeminiRequest,
  streams: boolean,
): Promise<GenerateContentResponse[]> {
  const config = { ...(generationConfig as object), systemInstruction, tools };
  const asked = { model: "gemini-2.5-flash", contents, config } as GenerateContentParameters;
  if (!streams) return [await client.models.generateContent(asked)];
  const chunks: GenerateContentResponse[] = [];
  for await (const chunk of await client.models.generateContentStream(asked)) chunks.push(chunk);
  return chunks;
}

function readingOf(chunks: readonly GenerateContentResponse[]): Reading {
  const parts = chunks.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
  const usage = chunks.findLast(({ usageMetadata }) => usageMetadata)?.usageMetadata;
  return {
    messages: [messageOf(parts)],
    model: chunks.at(-1)?.modelVersion,
    finishReason: chunks.findLast(({ candidates }) => candidates?.[0]?.finishReason)?.candidates?.[0]
      ?.finishReason,
    // Results of tools that Google runs are input as well.
    inputTokens: sum(usage?.promptTokenCount, usage?.toolUsePromptTokenCount),
    outputTokens: sum(usage?.candidatesTokenCount, usage?.thoughtsTokenCount),
  };
}

function messageOf(parts: readonly Part[]): ReadMessage {
  const texts = (thought: boolean): string =>
    parts
      .filter((part) => (part.thought === true) === thought)
      .map(({ text }) => text ?? "")
      .join("");
  return {
    text: texts(false),
    thinking: texts(true),
    calls: parts.flatMap(callsIn),
  };
}

/** Returns the call of a function, of a tool that Google runs, or of the code that the model wrote. */
function callsIn({ functionCall, toolCall, executableCode }: Part): ReadMessage["calls"] {
  if (functionCall)
    return [{ id: functionCall.id, name: functionCall.name ?? "", arguments: functionCall.args }];
  if (toolCall) return [{ id: toolCall.id, name: String(toolCall.toolType), arguments: toolCall.args ?? {} }];
  if (executableCode)
    return [{ id: undefined, name: "code_execution", arguments: { code: executableCode.code } }];
  return [];
}

/** Returns the sum of the counts that are known, or undefined if none is. */
function sum(...counts: readonly (number | undefined)[]): number | undefined {
  const known = counts.filter((count) => count !== undefined);
  return known.length === 0 ? undefined : known.reduce((one, other) => one + other, 0);
}
