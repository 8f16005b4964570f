import { createHash } from "node:crypto";
import type { IncomingReply, OutgoingRequest } from "../../src/core/answer/source/source.ts";
import { seeded } from "./seeded.ts";

/** A provider that keeps state under ids, until it forgets them all. */
export interface ForgetfulProvider {
  readonly answer: (request: Pick<OutgoingRequest, "method" | "url" | "body">) => ProviderReply;
  /** For an engine under test. */
  readonly upstream: (request: OutgoingRequest) => IncomingReply;
  readonly forget: () => void;
  /** Method and path of each request, in order. */
  readonly requests: readonly string[];
  /** Texts of the questions that a model answered, in order: these are paid for. */
  readonly paid: readonly string[];
}

export interface ProviderReply {
  readonly status: number;
  readonly body: object;
}

type Fields = Readonly<Record<string, unknown>>;

interface Thing {
  readonly id: string;
  readonly kind: string;
  /** The questions so far. */
  history: readonly string[];
  polls: number;
}

/**
 * OpenAI's responses, conversations, files, vector stores, containers, and batches; Anthropic's files, messages in containers,
 * and batches; Gemini's interactions and files. A model answers with all questions that it knows, so that a reply shows its state.
 */
export function aForgetfulProvider(seed = 1): ForgetfulProvider {
  const random = seeded(seed);
  const things = new Map<string, Thing>();
  const requests: string[] = [];
  const paid: string[] = [];

  const make = (kind: string, prefix: string, history: readonly string[] = []): Thing => {
    const id = prefix + createHash("sha256").update(String(random())).digest("hex").slice(0, 24);
    const thing = { id, kind, history, polls: 0 };
    things.set(id, thing);
    return thing;
  };
  const know = (id: string, kind: string): Thing => {
    const thing = things.get(id);
    if (thing?.kind !== kind) throw new NotFound(kind, id);
    return thing;
  };
  const answerTo = (question: string, history: readonly string[]): readonly string[] => {
    paid.push(question);
    return [...history, question];
  };

  const respond = (fields: Fields): object => {
    const { previous_response_id: before, conversation, background } = fields;
    const conversationId =
      typeof conversation === "object" ? (conversation as Fields | null)?.["id"] : conversation;
    const stored = typeof conversationId === "string" ? know(conversationId, "Conversation") : undefined;
    const history =
      typeof before === "string" ? know(before, "Previous response").history : (stored?.history ?? []);
    for (const id of idsUnder(fields, "file_id")) know(id, "File");
    for (const id of idsUnder(fields, "vector_store_ids")) know(id, "Vector store");
    for (const id of idsUnder(fields, "container")) know(id, "Container");
    const asked = answerTo(textOf(fields["input"]), history);
    if (stored !== undefined) stored.history = asked;
    const { id } = make("Previous response", "resp_", asked);
    const call = asked.at(-1)?.startsWith("call ") === true;
    const output = call
      ? [
          {
            type: "function_call",
            id: make("item", "fc_").id,
            call_id: make("call", "call_").id,
            name: "look",
            arguments: "{}",
            status: "completed",
          },
        ]
      : [
          {
            type: "message",
            id: make("item", "msg_").id,
            role: "assistant",
            status: "completed",
            content: [{ type: "output_text", text: said(asked), annotations: [] }],
          },
        ];
    return {
      id,
      object: "response",
      created_at: 1,
      status: background === true ? "queued" : "completed",
      background: background === true,
      error: null,
      model: "gpt-5-mini",
      previous_response_id: before ?? null,
      ...(stored && { conversation: { id: stored.id } }),
      output: background === true ? [] : output,
      usage: { input_tokens: 5, output_tokens: 2, total_tokens: 7 },
    };
  };

  const interact = (fields: Fields): object => {
    const { previous_interaction_id: before } = fields;
    const history = typeof before === "string" ? know(before, "Interaction").history : [];
    const asked = answerTo(textOf(fields["input"]), history);
    const { id } = make("Interaction", "v1_", asked);
    return {
      id,
      status: "completed",
      model: "gemini-3-flash-preview",
      steps: [{ type: "model_output", content: [{ type: "text", text: said(asked) }] }],
      usage: { total_input_tokens: 5, total_output_tokens: 2, total_tokens: 7 },
    };
  };

  const message = (fields: Fields): object => {
    const { container } = fields;
    const known = typeof container === "string" ? know(container, "Container") : undefined;
    for (const id of idsUnder(fields, "file_id")) know(id, "File");
    const asked = answerTo(textOf(fields["messages"]), known?.history ?? []);
    const used = known ?? make("Container", "container_");
    used.history = asked;
    return {
      id: make("message", "msg_").id,
      type: "message",
      role: "assistant",
      model: "claude-sonnet-5",
      content: [{ type: "text", text: said(asked) }],
      container: { id: used.id, expires_at: "2027-01-01T00:00:00Z" },
      stop_reason: "end_turn",
      stop_sequence: null,
      usage: { input_tokens: 5, output_tokens: 2 },
    };
  };

  const poll = (id: string, kind: string, from: string, to: string): string => {
    const job = know(id, kind);
    job.polls += 1;
    return job.polls < 3 ? from : to;
  };

  const route = (method: string, path: string, fields: Fields): object => {
    const [, version = "", collection = "", id = "", ...rest] = path.split("/");
    const name = `${method} ${collection}${id === "" ? "" : "/:id"}${rest[0] === undefined ? "" : `/${rest[0]}`}`;
    const file = (): object => {
      const uploaded = make("File", "file-");
      return {
        id: uploaded.id,
        object: "file",
        type: "file",
        filename: "a.txt",
        bytes: 1,
        size_bytes: 1,
        created_at: 1,
        purpose: "user_data",
        status: "processed",
        mime_type: "text/plain",
      };
    };
    if (collection.startsWith("messages") && id === "batches") {
      if (method === "POST")
        return { id: make("Batch", "msgbatch_").id, type: "message_batch", processing_status: "in_progress" };
      return {
        id: rest[0],
        type: "message_batch",
        processing_status: poll(rest[0] ?? "", "Batch", "in_progress", "ended"),
      };
    }
    switch (name) {
      case "POST responses":
        return respond(fields);
      case "GET responses/:id": {
        const { history } = know(id, "Previous response");
        const status = poll(id, "Previous response", "in_progress", "completed");
        const content = [{ type: "output_text", text: said(history), annotations: [] }];
        const output =
          status === "completed"
            ? [{ type: "message", id: make("item", "msg_").id, role: "assistant", status, content }]
            : [];
        return { id, object: "response", background: true, status, error: null, model: "gpt-5-mini", output };
      }
      case "POST interactions":
        return interact(fields);
      case "POST messages":
        return message(fields);
      case "POST conversations":
        return { id: make("Conversation", "conv_").id, object: "conversation", created_at: 1, metadata: {} };
      case "POST conversations/:id/items": {
        const conversation = know(id, "Conversation");
        conversation.history = [...conversation.history, textOf(fields["items"])];
        return {
          object: "list",
          data: [{ id: make("item", "msg_").id, type: "message", role: "user", content: [] }],
          has_more: false,
          first_id: null,
          last_id: null,
        };
      }
      case "POST files":
        return version === "upload" ? { file: file() } : file();
      case "GET files/:id":
        return { ...file(), id: know(id, "File").id };
      case "DELETE files/:id":
        know(id, "File");
        things.delete(id);
        return { id, object: "file", type: "file_deleted", deleted: true };
      case "POST vector_stores":
        for (const one of idsUnder(fields, "file_ids")) know(one, "File");
        return { id: make("Vector store", "vs_").id, object: "vector_store", status: "completed" };
      case "POST vector_stores/:id/files":
        know(id, "Vector store");
        know(String(fields["file_id"]), "File");
        return {
          id: fields["file_id"],
          object: "vector_store.file",
          vector_store_id: id,
          status: "in_progress",
        };
      case "GET vector_stores/:id/files":
        return {
          id: rest[1],
          object: "vector_store.file",
          vector_store_id: id,
          status: poll(rest[1] ?? "", "File", "in_progress", "completed"),
        };
      case "POST containers":
        return {
          id: make("Container", "cntr_").id,
          object: "container",
          created_at: 1,
          name: "box",
          status: "running",
        };
      default:
        throw new NotFound("Path", path);
    }
  };

  const answer: ForgetfulProvider["answer"] = ({ method, url, body }) => {
    const { pathname } = new URL(url);
    requests.push(`${method} ${pathname}`);
    try {
      return { status: 200, body: route(method, pathname, jsonOf(body)) };
    } catch (error) {
      if (!(error instanceof NotFound)) throw error;
      return {
        status: error.kind === "Previous response" ? 400 : 404,
        body: errorFor(pathname, error.message),
      };
    }
  };
  return {
    answer,
    upstream(request) {
      const { status, body } = answer(request);
      return { status, headers: [["content-type", "application/json"]], body: bytesOf(JSON.stringify(body)) };
    },
    forget: () => things.clear(),
    requests,
    paid,
  };
}

class NotFound extends Error {
  readonly kind: string;

  constructor(kind: string, id: string) {
    super(`${kind} with id '${id}' not found.`);
    this.kind = kind;
  }
}

const errorFor = (path: string, message: string): object =>
  path.startsWith("/v1/messages")
    ? { type: "error", error: { type: "not_found_error", message } }
    : { error: { message, type: "invalid_request_error", param: null, code: "not_found" } };

const said = (history: readonly string[]): string => history.join(" | ");

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

function jsonOf(body: Uint8Array): Fields {
  try {
    return JSON.parse(Buffer.from(body).toString()) as Fields;
  } catch {
    return {};
  }
}

/** The last text in a question. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(textOf).findLast((text) => text !== "") ?? "";
  if (typeof value !== "object" || value === null) return "";
  const { text, content, output, parts } = value as Fields;
  return textOf(text ?? content ?? output ?? parts);
}

/** The ids below members of a name, at any depth. */
function idsUnder(value: unknown, name: string): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((one) => idsUnder(one, name));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    if (key !== name) return idsUnder(inner, name);
    return [inner].flat().filter((one): one is string => typeof one === "string");
  });
}
