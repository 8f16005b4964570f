import type { IncomingMessage, RequestListener } from "node:http";
import { onTestFinished } from "vitest";
import { WebSocketServer, type WebSocket } from "ws";
import { aServer } from "./a-server.ts";

/** A server of OpenAI's Realtime API on this machine, whose replies repeat the client's messages. */
export interface RealtimeServer {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** Requests for a WebSocket so far. */
  readonly opened: readonly IncomingMessage[];
  readonly received: readonly string[];
}

let ids = 0;
const newId = (kind: string): string => `${kind}_${(ids += 1)}${Math.random().toString(36).slice(2, 12)}`;

/** Handles a connection in place of the default. */
export type Behave = (ws: WebSocket, send: (event: object) => void) => void;

/** @param listener answers requests that are no WebSocket's */
export async function aRealtimeServer(
  behave: Behave = converse,
  listener: RequestListener = (_, response) => response.writeHead(404).end(),
): Promise<RealtimeServer> {
  const opened: IncomingMessage[] = [];
  const received: string[] = [];
  const url = await aServer(listener, (server) => {
    const sockets = new WebSocketServer({
      server,
      handleProtocols: (offered) => (offered.has("realtime") ? "realtime" : false),
    });
    sockets.on("connection", (ws, request) => {
      opened.push(request);
      const send = (event: object): void => ws.send(JSON.stringify({ event_id: newId("event"), ...event }));
      ws.on("message", (data) => received.push(String(data)));
      behave(ws, send);
    });
    onTestFinished(() => sockets.clients.forEach((ws) => ws.terminate()));
  });
  return { url, opened, received };
}

/** Answers like the Realtime API: one reply per `response.create`, with the last text of the user and audio. */
export function converse(ws: WebSocket, send: (event: object) => void): void {
  const session = { object: "realtime.session", id: newId("sess"), expires_at: Date.now() };
  let text = "";
  let item = "";
  send({ type: "session.created", session });
  ws.on("message", (data) => {
    const message = JSON.parse(String(data)) as {
      type: string;
      session?: object;
      item?: Item;
      audio?: string;
    };
    if (message.type === "session.update")
      send({ type: "session.updated", session: { ...session, ...message.session } });
    if (message.type === "input_audio_buffer.append")
      text = `${String(message.audio?.length)} characters of audio`;
    if (message.type === "conversation.item.create") {
      text = message.item?.content?.[0]?.text ?? message.item?.output ?? "";
      item = message.item?.id ?? newId("item");
      send({ type: "conversation.item.added", item: { ...message.item, id: item } });
    }
    if (message.type === "response.create") reply(send, `Echo: ${text}`, item);
  });
}

interface Item {
  readonly id?: string;
  readonly content?: readonly { readonly text?: string }[];
  readonly output?: string;
}

function reply(send: (event: object) => void, text: string, after: string): void {
  const response = newId("resp");
  const item = newId("item");
  send({ type: "response.created", response: { id: response, status: "in_progress" } });
  for (const delta of text.split(/(?<= )/))
    send({ type: "response.output_text.delta", response_id: response, item_id: item, delta });
  const audio = Buffer.from(text.repeat(20)).toString("base64");
  send({ type: "response.output_audio.delta", response_id: response, item_id: item, delta: audio });
  const message = { id: item, type: "message", role: "assistant", content: [{ type: "output_text", text }] };
  send({
    type: "response.done",
    previous_item_id: after,
    response: {
      id: response,
      status: "completed",
      output: [message],
      usage: { input_tokens: 7, output_tokens: 5 },
    },
  });
}
