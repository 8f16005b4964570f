import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import { parse } from "yaml";
import { eventMessage } from "./event-message.ts";
import { createProviders } from "../../src/core/protocol/registry.ts";

/** One call of real traffic as it goes over the wire, and the reply that a provider gave to it. */
export interface RecordedExchange {
  /** The file it comes from and its place in it. */
  readonly source: string;
  readonly provider: string;
  /** As the provider's table recognises it; "http" where it does not. */
  readonly operation: string;
  readonly request: {
    readonly method: string;
    /** The provider's own path and query. */
    readonly path: string;
    readonly body: Uint8Array;
    readonly contentType?: string;
  };
  readonly reply: { readonly status: number; readonly contentType: string; readonly body: Uint8Array };
}

export interface RecordedTraffic {
  /** False where the folder of shared data is not there: say so in a skip. */
  readonly present: boolean;
  readonly exchanges: readonly RecordedExchange[];
}

export const SHARED_DATA = resolve(import.meta.dirname, "../../../shared/data");

/** OpenAI chat completions and Anthropic messages, from any recorder. */
export function isMainTraffic({ provider, operation }: RecordedExchange): boolean {
  return (
    (provider === "openai" && operation === "chat.completions") ||
    (provider === "anthropic" && operation === "messages")
  );
}

/**
 * The recorded traffic that `wanted` chooses. Whole bodies that a recorder kept as parsed trees are JSON written anew,
 * requests that it did not keep are made up, and each keeps its file as `source`.
 */
export function loadRecordedTraffic(
  wanted: (exchange: RecordedExchange) => boolean = isMainTraffic,
): RecordedTraffic {
  if (!existsSync(SHARED_DATA)) return { present: false, exchanges: [] };
  loaded ??= [...vcrExchanges(), ...chunkFileExchanges()];
  return { present: true, exchanges: loaded.filter(wanted) };
}

let loaded: readonly RecordedExchange[] | undefined;

/** Whose traffic a recorded address is; `prefix` is taken off its path. Add a line for another provider. */
const HOSTS: readonly { readonly host: string; readonly prefix?: string; readonly provider: string }[] = [
  { host: "api.openai.com", provider: "openai" },
  { host: "api.anthropic.com", provider: "anthropic" },
  { host: "localhost:8787", prefix: "/anthropic", provider: "anthropic" },
  { host: "api.groq.com", provider: "groq" },
  { host: "openrouter.ai", provider: "openrouter" },
  { host: "api.deepseek.com", provider: "deepseek" },
  { host: "api.mistral.ai", provider: "mistral" },
  { host: "router.huggingface.co", provider: "huggingface" },
  { host: "localhost:8787", prefix: "/openai", provider: "openai" },
  { host: "api.cerebras.ai", provider: "cerebras" },
  { host: "api.inference.crusoecloud.com", provider: "crusoe" },
  { host: "api.z.ai", provider: "zai" },
  { host: "us.inference.heroku.com", provider: "heroku" },
  { host: "myorg-myaccount.snowflakecomputing.com", provider: "snowflake" },
  { host: "generativelanguage.googleapis.com", provider: "gemini" },
  { host: "aiplatform.googleapis.com", provider: "vertex" },
  { host: "bedrock-runtime.us-east-1.amazonaws.com", provider: "bedrock" },
  { host: "localhost:8787", prefix: "/bedrock", provider: "bedrock" },
  { host: "api.cohere.com", provider: "cohere" },
  { host: "pydanticai7521574644.openai.azure.com", provider: "azure" },
  { host: "ollama.com", provider: "ollama" },
  { host: "localhost:11434", provider: "ollama" },
  { host: "bedrock-mantle.us-east-1.api.aws", provider: "mantle" },
];

/** Folders of chunk files: what was asked for, and how its stream frames its lines. Add a line for another provider. */
const CHUNK_FOLDERS: readonly ChunkFolder[] = [
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
    frames: bareEvents,
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
  { folder: "alibaba/src", provider: "dashscope", path: "/compatible-mode/v1/chat/completions" },
];

/** Providers that are not built in, with addresses as a user would give them. */
export const NAMED_UPSTREAMS: Readonly<Record<string, string>> = Object.fromEntries(
  [...HOSTS, ...CHUNK_FOLDERS]
    .filter(({ provider }) => createProviders().get(provider) === undefined)
    .map(({ provider }) => [provider, `https://${provider}.example`]),
);

const providers = createProviders(NAMED_UPSTREAMS);

interface ChunkFolder {
  readonly folder: string;
  readonly provider: string;
  readonly path: string;
  /** Where a stream is asked for, if that is another path. */
  readonly streamPath?: string;
  /** A made-up request that the file may answer; a chat where it is left out. */
  readonly asks?: (file: string, stream: boolean) => Asked;
  /** How its lines are framed, where that is not as OpenAI and Anthropic do. */
  readonly frames?: (lines: readonly string[]) => Framed;
}

type Framed = Pick<RecordedExchange["reply"], "body" | "contentType">;

type Asked = Pick<RecordedExchange["request"], "body" | "contentType">;

const json = (value: object): Asked => ({
  body: bytes(JSON.stringify(value)),
  contentType: "application/json",
});

function asksInput(file: string, stream: boolean): Asked {
  return json({ model: "recorded", input: `What did ${file} say?`, ...(stream && { stream }) });
}

function asksPrompt(file: string): Asked {
  return json({ model: "recorded", prompt: `What did ${file} say?` });
}

function asksContents(file: string): Asked {
  return json({ contents: [{ role: "user", parts: [{ text: `What did ${file} say?` }] }] });
}

function asksConverse(file: string): Asked {
  return json({ messages: [{ role: "user", content: [{ text: `What did ${file} say?` }] }] });
}

function bareEvents(lines: readonly string[]): Framed {
  const body = bytes(lines.map((line) => `data: ${line}\r\n\r\n`).join(""));
  return { contentType: "text/event-stream", body };
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
  return { contentType: "application/vnd.amazon.eventstream", body: Buffer.concat(messages) };
}

function asksFile(file: string): Asked {
  const parts = [
    `Content-Disposition: form-data; name="model"\r\n\r\nrecorded`,
    `Content-Disposition: form-data; name="file"; filename="${file}.wav"\r\nContent-Type: audio/wav\r\n\r\nRIFF`,
  ];
  const body = parts.map((part) => `--cut\r\n${part}\r\n`).join("");
  return { body: bytes(`${body}--cut--\r\n`), contentType: "multipart/form-data; boundary=cut" };
}

type Tree = Readonly<Record<string, unknown>>;

function vcrExchanges(): RecordedExchange[] {
  const root = join(SHARED_DATA, "pydantic-ai");
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".yaml"),
  );
  return files.sort().flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8");
    if (!HOSTS.some(({ host }) => text.includes(`//${host}/`))) return [];
    const interactions = listOf(treeOf(parse(text, { version: "1.1", logLevel: "silent" }))["interactions"]);
    const source = `pydantic-ai/${file.split(sep).join("/")}`;
    return interactions.flatMap((one, index) => vcrExchange(treeOf(one), `${source}#${index}`) ?? []);
  });
}

/** Undefined for what is not HTTP (WebSocket and gRPC entries have no address) or not of a known host. */
function vcrExchange(interaction: Tree, source: string): RecordedExchange | undefined {
  const request = treeOf(interaction["request"]);
  const response = treeOf(interaction["response"]);
  const { uri } = request;
  if (typeof uri !== "string") return undefined;
  const url = new URL(uri);
  const known = HOSTS.find(({ host, prefix = "/" }) => host === url.host && url.pathname.startsWith(prefix));
  if (known === undefined) return undefined;
  const path = url.pathname.slice(known.prefix?.length ?? 0) + url.search;
  const contentType = headerOf(request, "content-type");
  const method = String(request["method"]).toUpperCase();
  return {
    source,
    provider: known.provider,
    operation: operationOf(known.provider, method, path),
    request: {
      method,
      path,
      body: bodyOf(request["parsed_body"], request["body"]),
      ...(contentType !== undefined && { contentType }),
    },
    reply: {
      status: Number(treeOf(response["status"])["code"]),
      contentType: headerOf(response, "content-type") ?? "application/octet-stream",
      body: bodyOf(response["parsed_body"], treeOf(response["body"])["string"]),
    },
  };
}

function chunkFileExchanges(): RecordedExchange[] {
  return CHUNK_FOLDERS.flatMap((folder) => {
    const fixtures = join(SHARED_DATA, "vercel-ai/packages", folder.folder, "__fixtures__");
    const isHeard = folder.asks === asksFile;
    return readdirSync(fixtures)
      .filter((file) => file.includes("transcription") === isHeard)
      .sort()
      .map((file) => chunkFileExchange(folder, file, readFileSync(join(fixtures, file), "utf8")));
  });
}

/** A file of one reply. Its request was not kept: a small one is made up, which differs from file to file. */
function chunkFileExchange(folder: ChunkFolder, file: string, text: string): RecordedExchange {
  const { provider, path } = folder;
  const stream = file.endsWith(".chunks.txt");
  const messages = [{ role: "user", content: `What did ${file} say?` }];
  const asked = {
    model: "recorded",
    messages,
    ...(provider === "anthropic" && { max_tokens: 1024 }),
    stream,
  };
  const asks = folder.asks?.(file, stream) ?? json(asked);
  const request = { method: "POST", path: (stream ? folder.streamPath : undefined) ?? path, ...asks };
  const source = `vercel-ai/packages/${folder.folder}/__fixtures__/${file}`;
  const operation = operationOf(provider, "POST", request.path);
  if (stream && folder.frames !== undefined) {
    const reply = { status: 200, ...folder.frames(linesOf(text)) };
    return { source, provider, operation, request, reply };
  }
  if (stream) {
    const body = bytes(isNamed(operation) ? namedEvents(text) : plainEvents(text, provider));
    const reply = { status: 200, contentType: "text/event-stream; charset=utf-8", body };
    return { source, provider, operation, request, reply };
  }
  const value = treeOf(JSON.parse(text));
  const { headers, body } = value;
  // One file keeps a whole answer: status, headers and a body of text.
  if (headers !== undefined && typeof body === "string") {
    const contentType = headerOf(value, "content-type") ?? String(treeOf(headers)["content-type"]);
    const reply = { status: Number(value["status"]), contentType, body: bytes(body) };
    return { source, provider, operation, request, reply };
  }
  const status = value["error"] ? 400 : 200;
  const reply = { status, contentType: "application/json", body: bytes(text) };
  return { source, provider, operation, request, reply };
}

/** The files hold one payload a line, without the envelope; Gemini ends without a word. */
function plainEvents(text: string, provider: string): string {
  const events = linesOf(text).map((line) => `data: ${line}\n\n`);
  return `${events.join("")}${provider === "gemini" ? "" : "data: [DONE]\n\n"}`;
}

function isNamed(operation: string): boolean {
  return operation === "messages" || operation === "responses";
}

/** Two lines in one file are no JSON: the name of their event is not known. */
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

function operationOf(provider: string, method: string, path: string): string {
  return providers.protocolFor({ provider, method, path })?.protocol.operation ?? "http";
}

/** Recorders keep a body as a tree, a text, bytes or (rarely) a bare map. */
function bodyOf(parsed: unknown, body: unknown): Uint8Array {
  if (parsed !== undefined) return bytes(JSON.stringify(parsed));
  if (body === undefined || body === null) return new Uint8Array(0);
  if (body instanceof Uint8Array) return Uint8Array.from(body);
  return bytes(typeof body === "string" ? body : JSON.stringify(body));
}

/** Header names keep their recorder's case; values are lists of texts or of bytes. */
function headerOf(message: Tree, name: string): string | undefined {
  const found = Object.entries(treeOf(message["headers"])).find(([key]) => key.toLowerCase() === name);
  const value: unknown = listOf(found?.[1])[0];
  return value instanceof Uint8Array
    ? new TextDecoder().decode(value)
    : typeof value === "string"
      ? value
      : undefined;
}

function treeOf(value: unknown): Tree {
  return typeof value === "object" && value !== null ? (value as Tree) : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
