import type { Call } from "../call.ts";
import { textOf } from "../wire/text.ts";
import { redactRepeatedly } from "./redact-body.ts";
import { withoutOwnInBody, withoutOwnInPath } from "./own-places.ts";
import { applied, editsOf } from "./edits.ts";
import { finish, type Steps } from "../steps.ts";
import { searchIn, secretsIn } from "./readings.ts";
import type { Scan, Secret } from "./scanner.ts";

/**
 * A call as it is kept, looked up and shown: without the secrets of its path and body, its own credentials among them. It depends on nothing but the
 * call, so that recording and looking up see the same. Headers stay: they are shown to nobody.
 */
export function redactCall(call: Call, scan: Scan): Call {
  return finish(redactCallIn(call, scan));
}

/** The same in steps. */
export function* redactCallIn(call: Call, scan: Scan): Steps<Call> {
  const { path, body } = yield* redactPlacesIn(call, scan);
  return path === call.path && body === call.body ? call : callWith(call, { path, body });
}

/** The path and body of a call without its secrets. */
export function redactPlaces(call: PathAndBody, scan: Scan): PathAndBody {
  return finish(redactPlacesIn(call, scan));
}

type PathAndBody = Pick<Call, "path" | "body">;

function* redactPlacesIn(call: PathAndBody, scan: Scan): Steps<PathAndBody> {
  const path = redactText(withoutOwnInPath(call.path), scan);
  const body = yield* redactBodyOf(yield* withoutOwnInBody(call.body), scan);
  return { path, body };
}

/** A request's body without its secrets. */
export function redactRequest(body: Uint8Array, scan: Scan): Uint8Array {
  return finish(redactBodyOf(body, scan));
}

function* redactBodyOf(body: Uint8Array, scan: Scan): Steps<Uint8Array> {
  return yield* redactRepeatedly(body, function* (left) {
    return (yield* searchIn(textOf(left), scan)).plain;
  });
}

/** Texts that may become parts of a request, without the secrets that they say. */
export function redactTexts(texts: readonly string[], scan: Scan): readonly string[] {
  const { plain } = secretsIn(texts, scan);
  return plain.length === 0 ? texts : texts.map((text) => applied(text, editsOf(text, plain)));
}

/** The same call with another path and body, and maybe for another provider. What a server makes when it is asked for is asked of the first one. */
export function callWith(
  call: Call,
  { path, body, provider = call.provider }: Pick<Call, "path" | "body"> & { readonly provider?: string },
): Call {
  const { method, headers, run, test, token } = call;
  return {
    provider,
    method,
    path,
    headers,
    body,
    get signal() {
      return call.signal;
    },
    run,
    ...(token !== undefined && { token }),
    ...(test !== undefined && { test }),
  };
}

/** In a path a placeholder is escaped as everything is there. */
function redactText(path: string, scan: Scan): string {
  const { plain } = secretsIn(path, scan);
  const edits = editsOf(path, plain);
  return applied(
    path,
    edits.map((edit) => ({ ...edit, by: encodeURIComponent(edit.by) })),
  );
}

/** All that a call says that is not to be written, for its reply to be searched for as well. */
export function* secretsOfCall(
  { path, body }: Pick<Call, "path" | "body">,
  scan: Scan,
): Steps<readonly Secret[]> {
  return [...secretsIn(path, scan).plain, ...(yield* searchIn(textOf(body), scan)).plain];
}
