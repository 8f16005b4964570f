import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import { parse } from "yaml";

/** One call of real traffic as it goes over the wire, and the reply that a provider gave to it. */
export interface RecordedExchange {
  /** The file it comes from and its place in it. */
  readonly source: string;
  readonly provider: string;
  /** "chat.completions", "messages", else "http". */
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
  return (provider === "openai" || provider === "anthropic") && operation !== "http";
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
  { host: "generativelanguage.googleapis.com", provider: "gemini" },
  { host: "pydanticai7521574644.openai.azure.com", provider: "azure" },
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
  { folder: "openai-compatible/src/chat", provider: "compatible", path: "/v1/chat/completions" },
  { folder: "alibaba/src", provider: "dashscope", path: "/compatible-mode/v1/chat/completions" },
  { folder: "openai/src/responses", provider: "openai", path: "/v1/responses" },
  { folder: "azure/src", provider: "azure", path: "/openai/responses" },
  { folder: "open-responses/src/responses", provider: "openai", path: "/v1/responses" },
  { folder: "google/src", provider: "gemini", path: "/v1beta/models/recorded" },
];

interface ChunkFolder {
  readonly folder: string;
  readonly provider: string;
  readonly path: string;
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
  return {
    source,
    provider: known.provider,
    operation: operationOf(path),
    request: {
      method: String(request["method"]).toUpperCase(),
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
    return readdirSync(fixtures)
      .filter((file) => !file.includes("transcription"))
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
  const request = {
    method: "POST",
    path,
    body: bytes(JSON.stringify(asked)),
    contentType: "application/json",
  };
  const source = `vercel-ai/packages/${folder.folder}/__fixtures__/${file}`;
  const operation = operationOf(path);
  if (stream) {
    const body = bytes(provider === "anthropic" ? namedEvents(text) : plainEvents(text, provider));
    const reply = { status: 200, contentType: "text/event-stream; charset=utf-8", body };
    return { source, provider, operation, request, reply };
  }
  const status = treeOf(JSON.parse(text))["error"] ? 400 : 200;
  const reply = { status, contentType: "application/json", body: bytes(text) };
  return { source, provider, operation, request, reply };
}

/** The files hold one payload a line, without the envelope; Gemini ends without a word. */
function plainEvents(text: string, provider: string): string {
  const events = linesOf(text).map((line) => `data: ${line}\n\n`);
  return `${events.join("")}${provider === "gemini" ? "" : "data: [DONE]\n\n"}`;
}

function namedEvents(text: string): string {
  return linesOf(text)
    .map((line) => `event: ${String(treeOf(JSON.parse(line))["type"])}\ndata: ${line}\n\n`)
    .join("");
}

function linesOf(text: string): string[] {
  return text.split("\n").filter((line) => line.trim() !== "");
}

function operationOf(path: string): string {
  const [pathname = path] = path.split("?", 1);
  if (pathname.endsWith("/chat/completions")) return "chat.completions";
  return pathname.endsWith("/v1/messages") ? "messages" : "http";
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
