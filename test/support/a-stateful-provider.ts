import { createHash } from "node:crypto";
import { aServer } from "./a-server.ts";
import { seeded } from "./seeded.ts";

/** A stand-in for OpenAI, Anthropic, and Gemini, whose models answer with all texts that they know. */
export interface StatefulProvider {
  readonly origin: string;
  /** Forgets all ids that it gave out. */
  readonly forget: () => void;
  /** Method and path of each request, in order. */
  readonly requests: readonly string[];
  /** Texts that a model answered, in order: these are paid for. */
  readonly paid: readonly string[];
}

type Fields = Readonly<Record<string, unknown>>;

/** Something that the provider keeps: the texts so far, and how often it was asked whether it is ready. */
interface Kept {
  texts: readonly string[];
  polls: number;
}

interface Asked {
  readonly method: string;
  /** The path with ":id" in the places of ids. */
  readonly path: string;
  readonly body: Fields;
  /** The text that was sent for a model or as a file. */
  readonly text: string;
  /** The ids in the path and the body. */
  readonly ids: readonly string[];
}

const PREFIXES =
  "resp|conv|thread|file|vs|cntr|batch|upload|part|run|sesn|container|cache|v1|msg|asst|agent|env";
const ID = new RegExp(String.raw`\b(?:${PREFIXES})[_-][0-9a-f]{20}\b`, "g");

class UnknownId extends Error {}

export async function aStatefulProvider(seed = 1): Promise<StatefulProvider> {
  const random = seeded(seed);
  const kept = new Map<string, Kept>();
  const requests: string[] = [];
  const paid: string[] = [];

  const create = (prefix: string, texts: readonly string[] = []): string => {
    const id = prefix + createHash("sha256").update(String(random())).digest("hex").slice(0, 20);
    kept.set(id, { texts, polls: 0 });
    return id;
  };
  const read = (id: string): Kept => {
    const found = kept.get(id);
    if (found === undefined) throw new UnknownId(id);
    return found;
  };
  const known = ({ ids }: Asked): readonly string[] => [...new Set(ids.flatMap((id) => read(id).texts))];
  /** Answers with the texts of all ids that the request names, and adds the new one to those that remember it. */
  const answer = (asked: Asked): readonly string[] => {
    paid.push(asked.text);
    const texts = [...known(asked), asked.text];
    for (const id of asked.ids) if (/^(?:conv_|thread_|sesn_)/.test(id)) read(id).texts = texts;
    return texts;
  };
  const isReady = (id: string): boolean => {
    const one = read(id);
    one.polls += 1;
    return one.polls > 2;
  };

  const route = (asked: Asked): unknown => {
    const { method, path, text, ids } = asked;
    const [id = ""] = ids;
    const list = (data: readonly object[]): object => ({
      object: "list",
      data,
      has_more: false,
      next_page: null,
    });
    const stored = (kind: string, prefix: string, more: object = {}): object => ({
      id: create(prefix, [...known(asked), ...(text === "" ? [] : [text])]),
      object: kind,
      created_at: 1,
      ...more,
    });
    switch (`${method} ${path}`) {
      case "POST /v1/responses": {
        const texts = answer(asked);
        const content = [{ type: "output_text", text: texts.join(" | "), annotations: [] }];
        const message = {
          type: "message",
          id: create("msg_"),
          role: "assistant",
          status: "completed",
          content,
        };
        return {
          id: create("resp_", texts),
          object: "response",
          status: "completed",
          model: "gpt-5-mini",
          output: [message],
          usage: { input_tokens: 5, output_tokens: 2, total_tokens: 7 },
        };
      }
      case "POST /v1/conversations":
        return stored("conversation", "conv_", { metadata: {} });
      case "POST /v1/files":
        return stored("file", "file-", {
          filename: "a.txt",
          bytes: 1,
          purpose: "batch",
          status: "processed",
        });
      case "POST /v1/vector_stores":
        return stored("vector_store", "vs_", { status: "completed" });
      case "POST /v1/containers":
        return stored("container", "cntr_", { name: text, status: "running" });
      case "POST /v1/uploads":
        return stored("upload", "upload_", { status: "pending" });
      case "POST /v1/uploads/:id/parts":
        return stored("upload.part", "part_", { upload_id: id });
      case "POST /v1/uploads/:id/complete":
        return { id, object: "upload", status: "completed", file: stored("file", "file-") };
      case "POST /v1/batches":
        paid.push(text);
        return stored("batch", "batch_", { status: "validating" });
      case "GET /v1/batches/:id": {
        const status = isReady(id) ? "completed" : "in_progress";
        const output = status === "completed" ? create("file-", read(id).texts) : null;
        return { id, object: "batch", status, output_file_id: output };
      }
      case "GET /v1/files/:id/content":
        return read(id).texts.join(" | ");
      case "POST /v1/threads":
        return stored("thread", "thread_", { metadata: {} });
      case "POST /v1/threads/:id/runs": {
        const texts = answer(asked);
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
        const texts = answer(asked);
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
        return stored("session", "sesn_", { type: "session", status: "idle" });
      case "POST /v1/sessions/:id/events":
        answer(asked);
        return { data: [{ id: create("msg_"), type: "user.message", content: [{ type: "text", text }] }] };
      case "GET /v1/sessions/:id/events": {
        const content = [{ type: "text", text: read(id).texts.join(" | ") }];
        return list([{ id: create("msg_"), type: "agent.message", content }]);
      }
      case "POST /v1/interactions": {
        const texts = answer(asked);
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
        const parts = [{ text: answer(asked).join(" | ") }];
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

  const origin = await aServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { pathname } = new URL(request.url ?? "", "http://provider");
      const text = Buffer.concat(chunks).toString();
      const body = parseOr(text);
      requests.push(`${request.method} ${pathname}`);
      const ids = [...new Set((decodeURIComponent(pathname) + text).match(ID) ?? [])];
      const asked: Asked = {
        method: request.method ?? "",
        path: pathname.replace("/v1beta/", "/v1/").replaceAll(ID, ":id"),
        body,
        text: textIn(body) || (/\[[^\]]*\]/.exec(text)?.[0] ?? ""),
        ids,
      };
      try {
        const reply = route(asked);
        const type = typeof reply === "string" ? "application/octet-stream" : "application/json";
        response.writeHead(200, { "content-type": type, "retry-after": "0" });
        response.end(typeof reply === "string" ? reply : JSON.stringify(reply));
      } catch (error) {
        response.writeHead(error instanceof UnknownId ? 404 : 500, { "content-type": "application/json" });
        response.end(JSON.stringify({ error: { message: `'${(error as Error).message}' not found.` } }));
      }
    });
  });
  return { origin, forget: () => kept.clear(), requests, paid };
}

function parseOr(text: string): Fields {
  try {
    return JSON.parse(text) as Fields;
  } catch {
    return {};
  }
}

/** Returns the first text in brackets, as the programs under test send all their texts: "[question 3]". */
function textIn(value: unknown): string {
  return /\[[a-zA-Z][^\]"]*\]/.exec(JSON.stringify(value))?.[0] ?? "";
}
