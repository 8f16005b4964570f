import { localize } from "../../base/localize.ts";
import { encodeUtf8 } from "../../base/wire/text.ts";
import {
  encodeReceived,
  encodeSent,
  SESSION_STATUS,
  SESSION_TYPE,
  type CausedFrame,
} from "../../call/transcript.ts";
import type { SocketMessage } from "../../call/socket.ts";
import { JSON_TYPE, type ImportedEntry } from "./found.ts";
import {
  getAt,
  getTextAt,
  isObject,
  listItems,
  listMembers,
  readTreeNumber,
  writeTreeAsJson,
  type FileTree,
} from "./tree.ts";

/*
 * Cassettes of the messages of one WebSocket, as tests of pydantic-ai record them: `direction` is "sent", "received", or
 * "closed", and `data` is the JSON of the message. They have no address, so the messages name the API.
 * Source: pydantic-ai `tests/realtime/ws_cassettes.py` and `tests/models/` of 2026-11.
 */

export function isSocketCassette(tree: FileTree): boolean {
  const all = listItems(getAt(tree, "interactions"));
  return all.length > 0 && all.every((one) => DIRECTIONS.has(getTextAt(one, "direction") ?? ""));
}

const DIRECTIONS: ReadonlySet<string> = new Set(["sent", "received", "closed"]);

interface CassetteMessage {
  readonly direction: string | undefined;
  readonly data: FileTree;
  readonly type: string | undefined;
  readonly place: string;
}

export function readSocketCassette(tree: FileTree): readonly ImportedEntry[] {
  const messages = listItems(getAt(tree, "interactions")).map((one, index): CassetteMessage => {
    const data = getAt(one, "data") ?? null;
    const direction = getTextAt(one, "direction");
    return { direction, data, type: getTextAt(data, "type"), place: `interaction ${index + 1}` };
  });
  if (messages.some((one) => isTurn(one) && getTextAt(one.data, "model") !== undefined))
    return turnsOf(messages);
  const url = addressOf(messages);
  const place = localize("the session");
  if (url === undefined)
    return [
      { place, skipped: localize("does not begin like a session of a Realtime API or of Gemini Live") },
    ];
  return [sessionOf(url, place, messages)];
}

const isTurn = ({ direction, type }: CassetteMessage): boolean =>
  direction === "sent" && type === "response.create";

/** Returns the turns of OpenAI's Responses API as the same calls over HTTP. */
function turnsOf(messages: readonly CassetteMessage[]): readonly ImportedEntry[] {
  const starts = messages.flatMap((one, index) => (isTurn(one) ? [index] : []));
  return starts.map((start, turn): ImportedEntry => {
    const [create, ...rest] = messages.slice(start, starts[turn + 1]);
    const place = create?.place ?? "";
    const events = rest.filter(({ direction }) => direction === "received");
    const error = events.find(({ type }) => type === "error");
    const body = listMembers(create?.data).filter(([name]) => name !== "type" && name !== "stream");
    const request = {
      method: "POST",
      url: "https://api.openai.com/v1/responses",
      headers: [JSON_TYPE],
      body: encodeUtf8(writeTreeAsJson({ members: [...body, ["stream", true]] })),
    };
    if (error !== undefined) {
      const status = readTreeNumber(error.data, "status") ?? 400;
      const reply = { status, headers: [JSON_TYPE], body: encodeUtf8(writeTreeAsJson(error.data)) };
      return { place, request, reply };
    }
    const text = events.map(({ type = "", data }) => `event: ${type}\ndata: ${writeTreeAsJson(data)}\n\n`);
    const headers = [["content-type", "text/event-stream; charset=utf-8"]] as const;
    return { place, request, reply: { status: 200, headers, body: encodeUtf8(text.join("")) } };
  });
}

/** Returns the address that the messages belong to; undefined if they are of no known API. */
function addressOf(messages: readonly CassetteMessage[]): string | undefined {
  const setup = messages.find(({ data }) => isObject(getAt(data, "setup")));
  if (setup !== undefined)
    return "https://generativelanguage.googleapis.com/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent";
  const created = messages.find(({ type }) => type === "session.created");
  const model = getTextAt(created?.data, "session", "model");
  if (model === undefined) return undefined;
  const host = model.startsWith("grok-") ? "api.x.ai" : "api.openai.com";
  return `https://${host}/v1/realtime?model=${encodeURIComponent(model)}`;
}

function sessionOf(url: string, place: string, messages: readonly CassetteMessage[]): ImportedEntry {
  const sent: SocketMessage[] = [];
  const received: CausedFrame[] = [];
  for (const { direction, data } of messages) {
    const after = sent.length;
    if (direction === "sent") sent.push({ text: writeTreeAsJson(data) });
    else if (direction === "received") received.push({ after, frame: { text: writeTreeAsJson(data) } });
    else received.push({ after, frame: { close: readClose(data) } });
  }
  const request = { method: "GET", url, headers: [JSON_TYPE], body: encodeSent(sent) };
  const headers = [["content-type", SESSION_TYPE]] as const;
  return { place, request, reply: { status: SESSION_STATUS, headers, body: encodeReceived(received) } };
}

const readClose = (data: FileTree) => ({
  code: readTreeNumber(data, "code") ?? 1000,
  reason: getTextAt(data, "reason") ?? "",
});
