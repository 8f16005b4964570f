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
  const thoughts = usage?.thoughtsTokenCount ?? 0;
  return {
    messages: [messageOf(parts)],
    model: chunks.at(-1)?.modelVersion,
    finishReason: chunks.findLast(({ candidates }) => candidates?.[0]?.finishReason)?.candidates?.[0]
      ?.finishReason,
    inputTokens: usage?.promptTokenCount,
    outputTokens:
      usage?.candidatesTokenCount === undefined ? undefined : usage.candidatesTokenCount + thoughts,
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
    calls: parts.flatMap(({ functionCall: call }) =>
      call === undefined ? [] : [{ id: call.id, name: call.name ?? "", arguments: call.args }],
    ),
  };
}
