import { localize } from "../../base/localize.ts";
import { localizeCount } from "../../base/plural.ts";
import { getMember, type JsonTree } from "../../base/json/json-tree.ts";
import { isText } from "../../base/lenient.ts";
import type { Difference, Nearest } from "../../call/call.ts";
import type { SocketMessage } from "../../call/socket.ts";
import { listDifferences } from "../../match/differences/differences.ts";
import { normalizeRequest } from "../../match/key/key.ts";
import type { Exchange } from "../../match/read-request.ts";
import { readMessageJson } from "../../match/session-messages.ts";
import type { RecordedSession } from "./find-sessions.ts";
import type { SessionParts } from "./session-parts.ts";

/** Returns the address of a session without the client's messages. */
export const getSessionAddress = ({ call, provider, protocol }: Exchange) => ({
  provider: provider.name,
  operation: protocol.operation,
  method: call.method,
  path: call.path,
});

interface DepartingMessage {
  readonly message: SocketMessage;
  /** From 0. */
  readonly at: number;
  readonly parts: SessionParts;
}

/** Describes the message at which a client departs from a recorded session. */
export function describeNearest(
  session: RecordedSession,
  missed: Exchange,
  departing: DepartingMessage,
): Nearest {
  const { at, message, parts } = departing;
  const { entry, recording } = session;
  const place = describePlace(message, at);
  const recorded = session.sent[at];
  const text =
    recorded === undefined
      ? localizeCount(
          session.sent.length,
          "{1}: the recording has only {0} message",
          "{1}: the recording has only {0} messages",
          place,
        )
      : place;
  const all = recorded === undefined ? [] : listMessageDifferences(recorded, missed, { message, at, parts });
  return {
    entry,
    key: recording.key,
    recordedAt: recording.recordedAt,
    differences: all.length > 0 ? all : [{ at: `/${at}`, kind: "added", text }],
  };
}

/** Returns a message by number and type: "message 3 (response.create)". */
export function describePlace(message: SocketMessage, at: number): string {
  const type = messageType(readMessageJson(message));
  return type === undefined ? localize("message {0}", at + 1) : localize("message {0} ({1})", at + 1, type);
}

/** Gemini's messages have no type, but one member that names it. */
function messageType(tree: JsonTree | undefined): string | undefined {
  const type = getMember(tree, "type");
  if (isText(type)) return type;
  return typeof tree === "object" && tree !== null && "members" in tree ? tree.members[0]?.[0] : undefined;
}

function listMessageDifferences(
  recorded: SocketMessage,
  exchange: Exchange,
  { message, at, parts }: DepartingMessage,
): readonly Difference[] {
  const [before, now] = [readMessageJson(recorded), readMessageJson(message)];
  if (before === undefined || now === undefined) return [];
  const requestOf = (tree: JsonTree) =>
    normalizeRequest({ ...getSessionAddress(exchange), body: { kind: "json", tree } }, parts.normalizer?.());
  return listDifferences(requestOf(before), requestOf(now)).map((one) =>
    one.at.startsWith("/") || one.at === ""
      ? { ...one, at: `/${at}${one.at}`, text: `${describePlace(message, at)}: ${one.text}` }
      : one,
  );
}
