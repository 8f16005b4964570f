import { localize } from "../../base/localize.ts";
import { createBadRequest, explain } from "../../base/errors.ts";
import { tryParseJson } from "../../base/json/json-parse.ts";
import { getMember, isJsonObject, writeJson, type JsonObject } from "../../base/json/json-tree.ts";
import { readFields, tryParsePlainJson } from "../../base/lenient.ts";
import { decodeText, encodeUtf8, isBytes, joinBytes } from "../../base/wire/text.ts";
import { createFrameCutter, readFrame } from "../../base/wire/sse.ts";
import type { Answer, Call, WireReply } from "../../call/call.ts";
import type {
  Socket,
  SocketMessage,
  SocketRequest,
  UpstreamReply,
  UpstreamSocket,
} from "../../call/socket.ts";
import type { Exchange } from "../../match/read-request.ts";
import { createChannel } from "../source/tee.ts";
import { openUpstream } from "./record-session.ts";
import { createOpenedAnswer, withJson, writeCloseReason, type SessionParts } from "./session-parts.ts";

/*
 * OpenAI's Responses over a WebSocket: each `response.create` is one call, with the key of the same call over HTTP with a
 * stream. One recording answers both. Source: platform.openai.com/docs/guides/websocket-mode, openai-node 7
 * `resources/responses/ws-base.ts`, 2026-11.
 */

/** Whether a WebSocket has turns that are calls of their own. */
export const hasTurns = ({ path }: Pick<Call, "path">): boolean => /\/responses(?:\?|$)/.test(path);

/** Answers one turn after another. The connection itself is not a call and is not reported. */
export async function answerTurns(
  exchange: Exchange,
  request: SocketRequest,
  parts: SessionParts,
): Promise<Answer> {
  const socket = await request.accept(undefined);
  const upstream = createTurnUpstream(exchange, request, parts);
  let work = Promise.resolve();
  socket.listen({
    message(message) {
      work = work
        .then(() => answerTurn({ exchange, socket, parts, upstream }, message))
        .catch((error: unknown) => socket.close({ code: 1011, reason: writeCloseReason(explain(error)) }));
    },
    ping: () => {},
    close(_, answer) {
      upstream.close();
      answer();
    },
  });
  return createOpenedAnswer("forwarded", new Promise(() => {}));
}

interface Turns {
  readonly exchange: Exchange;
  readonly socket: Socket;
  readonly parts: SessionParts;
  readonly upstream: TurnUpstream;
}

async function answerTurn(
  { exchange, socket, parts, upstream }: Turns,
  message: SocketMessage,
): Promise<void> {
  const tree = "text" in message ? tryParseJson(message.text) : undefined;
  if (tree === undefined || !isJsonObject(tree) || getMember(tree, "type") !== "response.create") {
    const error = createBadRequest(
      localize("the message of the WebSocket is not a response.create event."),
      localize("Send JSON with the type response.create."),
    );
    return sendFailure(socket, exchange.provider.dialect.refuse(error));
  }
  const { sent } = exchange;
  const headers = sent.headers.filter(([, value]) => !value.startsWith("responses_websockets"));
  const call: Call = {
    ...withJson(sent, encodeUtf8(writeJson(bodyOf(tree))), headers),
    method: "POST",
    sendOver: (signal) => upstream.send(message, signal),
  };
  const { reply } = await parts.answer(call);
  if (reply.status !== 200) return sendFailure(socket, reply);
  const cutter = createFrameCutter();
  for await (const piece of piecesOf(reply))
    for (const frame of cutter.push(piece)) {
      const { data } = readFrame(decodeText(frame));
      if (data === undefined || data === "[DONE]") continue;
      socket.send({ text: data });
      await socket.settle();
    }
}

/** Returns the body of the same call over HTTP. */
const bodyOf = ({ members }: JsonObject): JsonObject => ({
  members: [...members.filter(([name]) => name !== "type" && name !== "stream"), ["stream", true]],
});

const piecesOf = ({ body }: WireReply) => (isBytes(body) ? [body] : body);

async function sendFailure(socket: Socket, reply: WireReply): Promise<void> {
  const pieces: Uint8Array[] = [];
  for await (const piece of piecesOf(reply)) pieces.push(piece);
  const text = decodeText(joinBytes(pieces));
  const { error = { message: text } } = readFields(tryParsePlainJson(text));
  socket.send({ text: JSON.stringify({ type: "error", status: reply.status, error }) });
}

/** The connection to the provider, which is opened with the first turn that is forwarded. */
interface TurnUpstream {
  send(message: SocketMessage, signal: AbortSignal): Promise<UpstreamReply>;
  close(): void;
}

const TURN_ENDS = new Set(["response.completed", "response.incomplete", "response.failed", "error"]);

function createTurnUpstream(exchange: Exchange, request: SocketRequest, parts: SessionParts): TurnUpstream {
  let opening: ReturnType<typeof open> | undefined;
  /** The upstream's messages for the current turn, one piece each. */
  let inbox = createChannel(() => {});
  const listenTo = (upstream: UpstreamSocket): void =>
    upstream.listen({
      message: (message) => inbox.push("text" in message ? encodeUtf8(message.text) : message.bytes),
      ping: () => {},
      close(_, answer) {
        opening = undefined;
        inbox.close();
        answer();
      },
    });
  const open = () => openUpstream(exchange, { request }, parts);
  return {
    async send(message, signal) {
      opening ??= open().then((opened) => {
        if ("socket" in opened) listenTo(opened.socket);
        return opened;
      });
      const opened = await opening.catch((error: unknown) => {
        opening = undefined;
        throw error;
      });
      if ("refusal" in opened) {
        opening = undefined;
        return opened.refusal;
      }
      const turn = (inbox = createChannel(() => {}));
      signal.addEventListener("abort", () => turn.close(), { once: true });
      opened.socket.send(message);
      return replyFrom(turn.bytes);
    },
    close: () =>
      void opening?.then((opened) => "socket" in opened && opened.socket.close({ code: 1000, reason: "" })),
  };
}

/** Converts the upstream's messages to the reply that the same call gets over HTTP. */
async function replyFrom(inbox: AsyncIterable<Uint8Array>): Promise<UpstreamReply> {
  const messages = inbox[Symbol.asyncIterator]();
  const arrived = await messages.next();
  if (arrived.done === true) throw new Error(localize("it closed the WebSocket without an answer"));
  const first = decodeText(arrived.value);
  const { type, status, error } = readFields(tryParsePlainJson(first));
  if (type === "error") {
    const body = encodeUtf8(JSON.stringify({ error: error ?? first }));
    return {
      status: typeof status === "number" ? status : 400,
      headers: [["content-type", "application/json"]],
      body: (async function* () {
        yield body;
      })(),
    };
  }
  return {
    status: 200,
    headers: [["content-type", "text/event-stream; charset=utf-8"]],
    body: events(first),
  };

  async function* events(text: string): AsyncGenerator<Uint8Array> {
    for (let next: string | undefined = text; next !== undefined;) {
      const name = String(readFields(tryParsePlainJson(next))["type"]);
      yield encodeUtf8(`event: ${name}\ndata: ${next}\n\n`);
      if (TURN_ENDS.has(name)) return;
      const following: IteratorResult<Uint8Array> = await messages.next();
      if (following.done === true)
        throw new Error(localize("it closed the WebSocket before the end of the response"));
      next = decodeText(following.value);
    }
  }
}
