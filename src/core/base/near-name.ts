import { localize } from "./localize.ts";

/** Suggests the known name that a person may have meant. Returns undefined if none is similar. */
export function suggestName(name: string, known: readonly string[]): string | undefined {
  const near = known.find((one) => isOneSlipApart(one, name));
  return near && localize("Did you mean {0}?", near);
}

/** Whether two names differ by one inserted, removed, or replaced character, or by one swap. */
export function isOneSlipApart(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  let at = 0;
  while (at < short.length && short[at] === long[at]) at += 1;
  const [rest, restOfLong] = [short.slice(at), long.slice(at)];
  if (short.length < long.length) return rest === restOfLong.slice(1);
  const swapped = `${rest[1] ?? ""}${rest[0] ?? ""}${rest.slice(2)}`;
  return rest.slice(1) === restOfLong.slice(1) || swapped === restOfLong;
}
