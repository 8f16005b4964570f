import type { GeneratedValue, RecordedReply } from "../../cassette/recording.ts";
import { tryParseJson } from "../../base/json/json-parse.ts";
import { getMember, writeJson } from "../../base/json/json-tree.ts";
import { cutBody, type Framing } from "../../base/wire/framing.ts";
import { readFrame } from "../../base/wire/sse.ts";
import { decodeText, encodeUtf8, isJson, joinBytes } from "../../base/wire/text.ts";
import { chooseReplyFraming, readProtocolRequest, type Exchange } from "../../match/read-request.ts";
import { withRpcNumbers } from "../../protocol/base/http.ts";
import { countsAt } from "../../match/origins/values.ts";
import { replaceInBody, type Replacement } from "../../secrets/redact-body.ts";

/** A recorded reply with the values of this run, and the origins of the values that were replaced. */
export interface OwnReply {
  readonly reply: RecordedReply;
  readonly restored: readonly string[];
}

/**
 * Replaces recorded values in a reply by this run's values of the same origin, because a model quotes the folder, the id, or the
 * date that the request names. Everything else stays byte for byte.
 */
export function withOwnValues(
  reply: RecordedReply,
  recorded: readonly GeneratedValue[],
  exchange: Pick<Exchange, "protocol" | "facts" | "values">,
): OwnReply {
  const restored = new Set<string>();
  const replacements = pairValues(recorded, exchange.values ?? []).map(({ value, by, origin }) => ({
    value,
    by,
    countsAt: (text: string, start: number, end: number): boolean => {
      const counts = countsAt(text, start, end, origin);
      if (counts) restored.add(origin);
      return counts;
    },
  }));
  if (replacements.length === 0) return { reply, restored: [] };
  const body = replaceAtOnce(reply.body, replacements, chooseReplyFraming(exchange, reply.contentType));
  return { reply: { ...reply, body }, restored: [...restored] };
}

/** Replaces all values at once, although a new value may contain a recorded one: the folder `/tmp/job` in the place of `/tmp`. */
function replaceAtOnce(
  body: Uint8Array,
  replacements: readonly Replacement[],
  framing: Framing | undefined,
): Uint8Array {
  const isNested = replacements.some(({ by }) => replacements.some(({ value }) => by.includes(value)));
  if (!isNested) return replaceInBody(body, replacements, framing);
  // Characters for private use, so that no text contains a mark by accident.
  const marks = replacements.map((_, index) => `\ue000${index}\ue001`);
  const marked = replacements.map((one, index) => ({ ...one, by: marks[index] ?? "" }));
  const unmarked = replacements.map(({ by }, index) => ({ value: marks[index] ?? "", by }));
  return replaceInBody(replaceInBody(body, marked, framing), unmarked, framing);
}

/** Pairs each recorded value with this run's value of its origin. Times of one form are paired in their order. */
function pairValues(recorded: readonly GeneratedValue[], own: readonly GeneratedValue[]) {
  const left = [...own];
  return recorded.flatMap(({ text: value, origin }) => {
    const at = left.findIndex((other) => other.origin === origin);
    const by = at < 0 ? undefined : left.splice(at, 1)[0]?.text;
    return by === undefined || by === value ? [] : [{ value, by, origin }];
  });
}

/** Returns the reply to a call of plain HTTP. If it speaks JSON-RPC, the reply has the numbers of this call. */
export function withOwnNumbers(reply: RecordedReply, exchange: Exchange): RecordedReply {
  const { body } = readProtocolRequest(exchange);
  if (body.kind !== "json" || getMember(body.tree, "jsonrpc") === undefined) return reply;
  const request = body.tree;
  const pieces = cutBody(reply.body, chooseReplyFraming(exchange, reply.contentType)).map((piece) => {
    const text = decodeText(piece);
    const data = isJson(reply.contentType) ? text : readFrame(text).data;
    const message = data === undefined ? undefined : tryParseJson(data);
    const own = message && withRpcNumbers(message, request);
    if (data === undefined || message === undefined || own === undefined) return piece;
    const [before, now] = [writeJson(message), writeJson(own)];
    return before === now ? piece : encodeUtf8(text.replace(data, () => now));
  });
  return { ...reply, body: joinBytes(pieces) };
}
