import { isCredentialMember, isCredentialPair, mayHaveCredentialMember } from "../cassette/credentials.ts";
import { splitQuery } from "../cassette/secrets.ts";
import type { Steps } from "../steps.ts";
import { bytesOf, utf8 } from "../wire/text.ts";
import { applied } from "./edits.ts";
import { placedLiterals } from "./placed-literals.ts";
import { placeholderOf } from "./scanner.ts";

/** Stands where the call's own credential stood, whatever it was: with another key the call is the same. */
const PLACEHOLDER = placeholderOf({ kind: "credential" });

/** A path and query without the credentials that stand in it by the names of its parameters. */
export function withoutOwnInPath(path: string): string {
  const [pathname, query] = splitQuery(path);
  if (query === undefined) return path;
  const pairs = query.split("&").map((pair) => {
    const [name] = pair.split("=", 1);
    return isCredentialPair(pair) && pair !== name ? `${name}=${encodeURIComponent(PLACEHOLDER)}` : pair;
  });
  return `${pathname}?${pairs.join("&")}`;
}

/**
 * A JSON body without the credentials that stand in it by the names of its members, all else byte for byte; the same
 * bytes where there is none. A value is taken out by its place and not wherever it stands: a short placeholder, as
 * replaying has it, may be a word of the prompt.
 */
export function* withoutOwnInBody(body: Uint8Array): Steps<Uint8Array> {
  const text = utf8(body);
  if (text === undefined || !mayHaveCredentialMember(text)) return body;
  const edits = (yield* placedLiterals(text))
    .filter(({ value, place }) => value !== "" && value !== PLACEHOLDER && isCredentialMember(namesOf(place)))
    .map(({ start, end }) => ({ start, end, by: JSON.stringify(PLACEHOLDER) }));
  return edits.length === 0 ? body : bytesOf(applied(text, edits));
}

function namesOf(place: string): readonly string[] {
  return place.split("/").map((name) => name.replace(/(?:#\w+=-?\d+)+$/, ""));
}
