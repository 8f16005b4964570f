import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { joinBytes } from "../../src/core/base/wire/text.ts";
import type { ProviderTable } from "../../src/core/protocol/registry.ts";
import { eventMessage } from "./event-message.ts";
import { operationOf, type RecordedExchange } from "./recorded-exchange.ts";

/** Folders of chunk files: what was asked for, and how its stream frames its lines. Add a line for another provider. */
export const CHUNK_FOLDERS: readonly ChunkFolder[] = [
  { folder: "openai/src/chat", provider: "openai", path: "/v1/chat/completions" },
  { folder: "anthropic/src", provider: "anthropic", path: "/v1/messages" },
  { folder: "groq/src", provider: "groq", path: "/openai/v1/chat/completions" },
  { folder: "deepseek/src/chat", provider: "deepseek", path: "/chat/completions" },
  { folder: "mistral/src", provider: "mistral", path: "/v1/chat/completions" },
  { folder: "xai/src", provider: "xai", path: "/v1/chat/completions" },
  { folder: "moonshotai/src", provider: "moonshotai", path: "/v1/chat/completions" },
  { folder: "openai-compatible/src/chat", provider: "xai", path: "/v1/chat/completions" },
  { folder: "openai/src/responses", provider: "openai", path: "/v1/responses", asks: asksInput },
  { folder: "open-responses/src/responses", provider: "openai", path: "/v1/responses", asks: asksInput },
  { folder: "azure/src", provider: "azure", path: "/openai/responses", asks: asksInput },
  { folder: "xai/src/responses", provider: "xai", path: "/v1/responses", asks: asksInput },
  { folder: "openai/src/embedding", provider: "openai", path: "/v1/embeddings", asks: asksInput },
  { folder: "openai/src/completion", provider: "openai", path: "/v1/completions", asks: asksPrompt },
  { folder: "openai/src/image", provider: "openai", path: "/v1/images/generations", asks: asksPrompt },
  {
    folder: "openai/src/transcription",
    provider: "openai",
    path: "/v1/audio/transcriptions",
    asks: asksFile,
  },
  { folder: "groq/src", provider: "groq", path: "/openai/v1/audio/transcriptions", asks: asksFile },
  { folder: "mistral/src", provider: "mistral", path: "/v1/audio/transcriptions", asks: asksFile },
  {
    folder: "google/src",
    provider: "gemini",
    path: "/v1beta/models/recorded:generateContent",
    streamPath: "/v1beta/models/recorded:streamGenerateContent?alt=sse",
    asks: asksContents,
    frames: bareEvents,
  },
  {
    folder: "google/src/interactions",
    provider: "gemini",
    path: "/v1beta/interactions",
    asks: asksInput,
    frames: eventsOfInteraction,
  },
  {
    folder: "amazon-bedrock/src",
    provider: "bedrock",
    path: "/model/recorded/converse",
    streamPath: "/model/recorded/converse-stream",
    asks: asksConverse,
    frames: messagesOf,
  },
  { folder: "cohere/src", provider: "cohere", path: "/v2/chat", frames: eventsByType },
  { folder: "togetherai/src/reranking", provider: "together", path: "/v1/rerank", asks: asksRanking },
  // Calls without an operation here are plain HTTP.
  { folder: "revai/src", provider: "revai", path: "/speechtotext/v1/jobs" },
  { folder: "perplexity/src", provider: "perplexity", path: "/chat/completions" },
  { folder: "gladia/src", provider: "gladia", path: "/v2/upload" },
  { folder: "fal/src", provider: "fal", path: "/fal-ai/wizper", asks: asksFile },
  { folder: "anthropic/src/skills", provider: "anthropic", path: "/v1/skills/recorded/versions" },
  { folder: "elevenlabs/src", provider: "elevenlabs", path: "/v1/speech-to-text", asks: asksFile },
  { folder: "voyage/src", provider: "voyage", path: "/v1/embeddings", asks: asksInput },
  { folder: "alibaba/src", provider: "dashscope", path: "/compatible-mode/v1/chat/completions" },
];

interface ChunkFolder {
  readonly folder: string;
  readonly provider: string;
  readonly path: string;
  /** Where a stream is asked for, if that is another path. */
  readonly streamPath?: string;
  /** A made-up request that the file may answer; a chat where it is left out. */
  readonly asks?: (file: string, stream: boolean) => RequestBody;
  /** Framing of its lines, if it differs from OpenAI's and Anthropic's. */
  readonly frames?: (lines: readonly string[]) => Framed;
}

type Framed = Pick<RecordedExchange["reply"], "body" | "contentType">;

type RequestBody = Pick<RecordedExchange["request"], "body" | "contentType">;

const json = (value: object): RequestBody => ({
  body: bytes(JSON.stringify(value)),
  contentType: "application/json",
});

function asksInput(file: string, stream: boolean): RequestBody {
  return json({ model: "recorded", input: `What did ${file} say?`, ...(stream && { stream }) });
}

function asksPrompt(file: string): RequestBody {
  return json({ model: "recorded", prompt: `What did ${file} say?` });
}

function asksRanking(file: string): RequestBody {
  const documents = Array.from({ length: 6 }, (_, nth) => `Page ${nth}`);
  return json({ model: "recorded", query: `What did ${file} say?`, documents });
}

function asksContents(file: string): RequestBody {
  return json({ contents: [{ role: "user", parts: [{ text: `What did ${file} say?` }] }] });
}

function asksConverse(file: string): RequestBody {
  return json({ messages: [{ role: "user", content: [{ text: `What did ${file} say?` }] }] });
}

function bareEvents(lines: readonly string[]): Framed {
  const body = bytes(lines.map((line) => `data: ${line}\r\n\r\n`).join(""));
  return { contentType: "text/event-stream", body };
}

/** Google names each event as its data do. */
function eventsOfInteraction(lines: readonly string[]): Framed {
  const frames = lines.map((line) => {
    const name = String(treeOf(JSON.parse(line))["event_type"]);
    return `event: ${name}\ndata: ${line}\n\n`;
  });
  return { contentType: "text/event-stream", body: bytes(frames.join("")) };
}

function eventsByType(lines: readonly string[]): Framed {
  return { contentType: "text/event-stream", body: bytes(namedEvents(lines.join("\n"))) };
}

/** Each line is one message under the name of its type. */
function messagesOf(lines: readonly string[]): Framed {
  const messages = lines.flatMap((line) =>
    Object.entries(treeOf(JSON.parse(line))).map(([type, data]) =>
      eventMessage({ ":event-type": type }, JSON.stringify(data)),
    ),
  );
  return { contentType: "application/vnd.amazon.eventstream", body: joinBytes(messages) };
}

function asksFile(file: string): RequestBody {
  const parts = [
    `Content-Disposition: form-data; name="model"\r\n\r\nrecorded`,
    `Content-Disposition: form-data; name="file"; filename="${file}.wav"\r\nContent-Type: audio/wav\r\n\r\nRIFF`,
  ];
  const body = parts.map((part) => `--cut\r\n${part}\r\n`).join("");
  return { body: bytes(`${body}--cut--\r\n`), contentType: "multipart/form-data; boundary=cut" };
}

/** Each file of a folder of data as the reply to a small request that is made up. */
export function chunkFileExchanges(data: string, providers: ProviderTable): RecordedExchange[] {
  return CHUNK_FOLDERS.flatMap((folder) => {
    const fixtures = join(data, "vercel-ai/packages", folder.folder, "__fixtures__");
    const isHeard = folder.asks === asksFile;
    return readdirSync(fixtures)
      .filter((file) => file.includes("transcription") === isHeard)
      .sort()
      .map((file) => {
        const text = readFileSync(join(fixtures, file), "utf8");
        const exchange = chunkFileExchange(folder, file, text);
        return { ...exchange, operation: operationOf(providers, exchange) };
      });
  });
}

/** Its request was not kept: a small one is made up, which differs from file to file. */
function chunkFileExchange(
  folder: ChunkFolder,
  file: string,
  text: string,
): Omit<RecordedExchange, "operation"> {
  const { provider, path } = folder;
  const stream = file.endsWith(".chunks.txt");
  const asks = folder.asks?.(file, stream) ?? asksChat(file, { stream, provider });
  const sentTo = (stream ? folder.streamPath : undefined) ?? path;
  const request = { method: "POST", path: sentTo, ...asks, isMadeUp: true } as const;
  const source = `vercel-ai/packages/${folder.folder}/__fixtures__/${file}`;
  return { source, provider, request, reply: stream ? streamReply(folder, text) : wholeReply(text) };
}

function asksChat(file: string, { stream, provider }: { stream: boolean; provider: string }): RequestBody {
  const messages = [{ role: "user", content: `What did ${file} say?` }];
  return json({ model: "recorded", messages, ...(provider === "anthropic" && { max_tokens: 1024 }), stream });
}

function streamReply({ frames, provider, path }: ChunkFolder, text: string): RecordedExchange["reply"] {
  if (frames !== undefined) return { status: 200, ...frames(linesOf(text)) };
  const isNamed = /\/(?:messages|responses)$/.test(path);
  const body = bytes(isNamed ? namedEvents(text) : plainEvents(text, provider));
  return { status: 200, contentType: "text/event-stream; charset=utf-8", body };
}

function wholeReply(text: string): RecordedExchange["reply"] {
  const value = treeOf(JSON.parse(text));
  const { headers, body } = value;
  // One file keeps a whole answer: status, headers and a body of text.
  if (headers !== undefined && typeof body === "string") {
    const contentType = String(treeOf(headers)["content-type"]);
    return { status: Number(value["status"]), contentType, body: bytes(body) };
  }
  return { status: value["error"] ? 400 : 200, contentType: "application/json", body: bytes(text) };
}

/** The files hold one payload a line, without the envelope; Gemini ends without a word. */
function plainEvents(text: string, provider: string): string {
  const events = linesOf(text).map((line) => `data: ${line}\n\n`);
  return `${events.join("")}${provider === "gemini" ? "" : "data: [DONE]\n\n"}`;
}

/** Two lines in one file are not JSON: the name of their event is not known. */
function namedEvents(text: string): string {
  return linesOf(text)
    .map((line) => {
      const type = /"type"\s*:\s*"([\w.]+)"/.exec(line)?.[1];
      return `${type === undefined ? "" : `event: ${type}\n`}data: ${line}\n\n`;
    })
    .join("");
}

function linesOf(text: string): string[] {
  return text.split("\n").filter((line) => line.trim() !== "");
}

type Tree = Readonly<Record<string, unknown>>;

function treeOf(value: unknown): Tree {
  return typeof value === "object" && value !== null ? (value as Tree) : {};
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
