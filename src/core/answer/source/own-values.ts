import type { GeneratedValue, RecordedReply } from "../../cassette/recording.ts";
import { chooseReplyFraming, type Exchange } from "../../match/read-request.ts";
import { countsAt } from "../../match/origins/values.ts";
import { replaceInBody } from "../../secrets/redact-body.ts";

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
  const body = replaceInBody(reply.body, replacements, chooseReplyFraming(exchange, reply.contentType));
  return { reply: { ...reply, body }, restored: [...restored] };
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
