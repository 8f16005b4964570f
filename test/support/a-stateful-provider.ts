import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text as readText } from "node:stream/consumers";
import type { IncomingReply, OutgoingRequest } from "../../src/core/answer/source/source.ts";
import { aServer } from "./a-server.ts";
import { seeded } from "./seeded.ts";

/** A stand-in for OpenAI, Anthropic, and Gemini, whose models answer with all texts that they know. */
export interface StatefulProvider {
  readonly answer: (request: Pick<OutgoingRequest, "method" | "url" | "body">) => ProviderReply;
  /** For an engine under test. */
  readonly upstream: (request: OutgoingRequest) => IncomingReply;
  /** Forgets all ids that it gave out. */
  readonly forget: () => void;
  /** Method and path of each request, in order. */
  readonly requests: readonly string[];
  /** Texts that a model answered, in order: these are paid for. */
  readonly paid: readonly string[];
}

export interface ProviderReply {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** State that is stored under an id. */
interface StoredState {
  texts: readonly string[];
  /** Number of requests for its status. */
  polls: number;
}

interface ProviderRequest {
  readonly method: string;
  /** The path with ":id" in the places of ids. */
  readonly path: string;
  /** The first text in brackets in the body, such as "[question 3]", and otherwise the last one that is sent to a model. */
  readonly text: string;
  /** The ids in the path and the body. */
  readonly ids: readonly string[];
}

const PREFIXES = "resp|conv|thread|file|vs|cntr|batch|upload|part|run|sesn|container|cache|v1";
const TEXT = /\[[a-zA-Z][^\]"]*\]/;
const ID = new RegExp(String.raw`\b(?:${PREFIXES})[_-][0-9a-z]{12,24}\b`, "g");

/** What errors call the things behind these ids. */
const NAMES: Readonly<Record<string, string>> = {
  resp: "Previous response",
  conv: "Conversation",
  file: "File",
};

class UnknownId extends Error {
  readonly status: number;

  constructor(id: string) {
    const name = NAMES[id.split(/[_-]/, 1)[0] ?? ""] ?? "Resource";
    super(`${name} with id '${id}' not found.`);
    this.status = id.startsWith("resp_") ? 400 : 404;
  }
}

export function aStatefulProvider(seed = 1): StatefulProvider {
  const random = seeded(seed);
  const states = new Map<string, StoredState>();
  const requests: string[] = [];
  const paid: string[] = [];

  const create = (prefix: string, texts: readonly string[] = []): string => {
    const id = prefix + createHash("sha256").update(String(random())).digest("hex").slice(0, 24);
    states.set(id, { texts, polls: 0 });
    return id;
  };
  const read = (id: string): StoredState => {
    const state = states.get(id);
    if (state === undefined) throw new UnknownId(id);
    return state;
  };
  const readTexts = (ids: readonly string[]): readonly string[] => [
    ...new Set(ids.flatMap((id) => read(id).texts)),
  ];
  /** Answers with the texts of all ids in the request, and adds its own text to conversations, threads, and sessions. */
  const answer = ({ ids, text }: ProviderRequest): readonly string[] => {
    const texts = [...readTexts(ids), text];
    paid.push(text);
    for (const id of ids) if (/^(?:conv_|thread_|sesn_)/.test(id)) read(id).texts = texts;
    return texts;
  };
  const isReady = (id: string): boolean => {
    const state = read(id);
    state.polls += 1;
    return state.polls > 2;
  };

  const route = (request: ProviderRequest): unknown => {
    const { method, path, text, ids } = request;
    const [id = ""] = ids;
    const list = (data: readonly object[]): object => ({
      object: "list",
      data,
      has_more: false,
      next_page: null,
    });
    const store = (kind: string, prefix: string, more: object = {}): object => ({
      id: create(prefix, [...readTexts(ids), ...(text === "" ? [] : [text])]),
      object: kind,
      created_at: 1,
      ...more,
    });
    switch (`${method} ${path}`) {
      case "POST /v1/responses": {
        const texts = answer(request);
        const content = [{ type: "output_text", text: texts.join(" | "), annotations: [] }];
        const status = "completed";
        const output = text.startsWith("call ")
          ? {
              type: "function_call",
              id: create("fc_"),
              call_id: create("call_"),
              name: "look",
              arguments: "{}",
            }
          : { type: "message", id: create("msg_"), role: "assistant", content };
        return {
          id: create("resp_", texts),
          object: "response",
          status,
          model: "gpt-5-mini",
          output: [{ ...output, status }],
          usage: { input_tokens: 5, output_tokens: 2, total_tokens: 7 },
        };
      }
      case "POST /v1/conversations":
        return store("conversation", "conv_", { metadata: {} });
      case "POST /v1/conversations/:id/items":
        read(id).texts = [...read(id).texts, text];
        return list([{ id: create("msg_"), type: "message", role: "user", content: [] }]);
      case "POST /v1/files":
        return store("file", "file-", {
          filename: "a.txt",
          bytes: 1,
          purpose: "batch",
          status: "processed",
        });
      case "POST /v1/vector_stores":
        return store("vector_store", "vs_", { status: "completed" });
      case "POST /v1/vector_stores/:id/files":
      case "GET /v1/vector_stores/:id/files/:id": {
        const [vectorStore = "", file = ""] = ids;
        read(vectorStore);
        const status = method === "GET" && isReady(file) ? "completed" : "in_progress";
        return { id: file, object: "vector_store.file", vector_store_id: vectorStore, status };
      }
      case "POST /v1/containers":
        return store("container", "cntr_", { name: text, status: "running" });
      case "POST /v1/uploads":
        return store("upload", "upload_", { status: "pending" });
      case "POST /v1/uploads/:id/parts":
        return store("upload.part", "part_", { upload_id: id });
      case "POST /v1/uploads/:id/complete":
        return { id, object: "upload", status: "completed", file: store("file", "file-") };
      case "POST /v1/batches":
        paid.push(text);
        return store("batch", "batch_", { status: "validating" });
      case "GET /v1/batches/:id": {
        const status = isReady(id) ? "completed" : "in_progress";
        const output = status === "completed" ? create("file-", read(id).texts) : null;
        return { id, object: "batch", status, output_file_id: output };
      }
      case "GET /v1/files/:id/content":
        return read(id).texts.join(" | ");
      case "POST /v1/threads":
        return store("thread", "thread_", { metadata: {} });
      case "POST /v1/threads/:id/runs": {
        const texts = answer(request);
        return { id: create("run_", texts), object: "thread.run", thread_id: id, status: "queued" };
      }
      case "GET /v1/threads/:id/runs/:id": {
        const run = ids[1] ?? "";
        return { id: run, object: "thread.run", status: isReady(run) ? "completed" : "in_progress" };
      }
      case "GET /v1/threads/:id/messages": {
        const content = [{ type: "text", text: { value: read(id).texts.join(" | "), annotations: [] } }];
        return list([{ id: create("msg_"), object: "thread.message", role: "assistant", content }]);
      }
      case "POST /v1/messages": {
        const texts = answer(request);
        const container = ids.find((one) => one.startsWith("container_")) ?? create("container_", texts);
        return {
          id: create("msg_"),
          type: "message",
          role: "assistant",
          model: "claude-sonnet-5",
          content: [{ type: "text", text: texts.join(" | ") }],
          container: { id: container, expires_at: "2027-01-01T00:00:00Z" },
          stop_reason: "end_turn",
          usage: { input_tokens: 5, output_tokens: 2 },
        };
      }
      case "POST /v1/sessions":
        return store("session", "sesn_", { type: "session", status: "idle" });
      case "POST /v1/sessions/:id/events":
        answer(request);
        return { data: [{ id: create("msg_"), type: "user.message", content: [{ type: "text", text }] }] };
      case "GET /v1/sessions/:id/events": {
        const content = [{ type: "text", text: read(id).texts.join(" | ") }];
        return list([{ id: create("msg_"), type: "agent.message", content }]);
      }
      case "POST /v1/interactions": {
        const texts = answer(request);
        return {
          id: create("v1_", texts),
          status: "completed",
          model: "gemini-3-flash-preview",
          steps: [{ type: "model_output", content: [{ type: "text", text: texts.join(" | ") }] }],
          usage: { total_input_tokens: 5, total_output_tokens: 2, total_tokens: 7 },
        };
      }
      case "POST /v1/cachedContents":
        return { name: `cachedContents/${create("cache-", [text])}`, model: "models/gemini-3-flash" };
      case "POST /v1/models/gemini-3-flash:generateContent": {
        const parts = [{ text: answer(request).join(" | ") }];
        return {
          candidates: [{ content: { role: "model", parts }, finishReason: "STOP" }],
          usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 2, totalTokenCount: 7 },
          modelVersion: "gemini-3-flash",
        };
      }
      default:
        throw new Error(`The stand-in has no ${method} ${path}.`);
    }
  };

  const respond: StatefulProvider["answer"] = ({ method, url, body }) => {
    const sent = Buffer.from(body).toString();
    const { pathname } = new URL(url);
    requests.push(`${method} ${pathname}`);
    try {
      const reply = route(readRequest(method, pathname, sent));
      return typeof reply === "string"
        ? { status: 200, type: "application/octet-stream", body: reply }
        : { status: 200, type: "application/json", body: JSON.stringify(reply) };
    } catch (error) {
      if (!(error instanceof UnknownId)) throw error;
      const { status, message } = error;
      return { status, type: "application/json", body: JSON.stringify({ error: { message } }) };
    }
  };
  return {
    answer: respond,
    upstream(request) {
      const { status, type, body } = respond(request);
      return { status, headers: [["content-type", type]], body: bytesOf(body) };
    },
    forget: () => states.clear(),
    requests,
    paid,
  };
}

/** A stateful provider behind a port. */
export async function aStatefulServer(
  seed?: number,
): Promise<StatefulProvider & { readonly origin: string }> {
  const provider = aStatefulProvider(seed);
  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = "", url = "" } = incoming;
    const sent = Buffer.from(await readText(incoming));
    const { status, type, body } = provider.answer({ method, url: `http://provider${url}`, body: sent });
    response.writeHead(status, { "content-type": type, "retry-after": "0" }).end(body);
  };
  const origin = await aServer((incoming, response) => void serve(incoming, response));
  return { ...provider, origin };
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

function readRequest(method: string, pathname: string, sent: string): ProviderRequest {
  return {
    method,
    path: pathname.replace("/v1beta/", "/v1/").replaceAll(ID, ":id"),
    text: TEXT.exec(sent)?.[0] ?? lastText(sent),
    ids: [...new Set((decodeURIComponent(pathname) + sent).match(ID))],
  };
}

/** The last text in the question of a JSON body. */
function lastText(sent: string): string {
  if (!sent.startsWith("{")) return "";
  const { input, messages, items } = JSON.parse(sent) as Fields;
  return textOf(input ?? messages ?? items);
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(textOf).findLast((text) => text !== "") ?? "";
  if (typeof value !== "object" || value === null) return "";
  const { text, content, output } = value as Fields;
  return textOf(text ?? content ?? output);
}
