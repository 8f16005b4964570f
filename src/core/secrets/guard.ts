import { mayBeCredential, splitQuery, valueOfParameter } from "../cassette/secrets.ts";
import type { NamedParameters } from "../cassette/credentials.ts";
import type { Recording } from "../cassette/recording.ts";
import type { Call } from "../call.ts";
import { finishInTurns, type Steps } from "../steps.ts";
import type { TakeTurns } from "../take-turns.ts";
import type { Framing } from "../wire/framing.ts";
import type { SecretsPolicy } from "./policy.ts";
import { plainSecrets, searchRecording, type PlacedSecret } from "./recording-secrets.ts";
import { encodedSecrets, redactRepeatedly } from "./redact-body.ts";
import { secretsOfCall } from "./redact-call.ts";
import { BY_ITS_NAME, shownSecret, type Scan, type Secret } from "./scanner.ts";

/** What a project does about secrets. */
export interface Secrets {
  readonly policy: () => SecretsPolicy;
  /** Loads the scanner when it is first needed. */
  readonly scan: () => Promise<Scan>;
  /**
   * The call without its secrets, where the project redacts, and without the parameters that it names as credentials.
   * The names of its test are without theirs under every policy but `allow`. Undefined where calls stay as they are.
   * At once where the call is short, or came before.
   */
  readonly redact: ((call: Call) => Call | Promise<Call>) | undefined;
  /** What the project names as credentials of a provider. */
  readonly named: (provider: string) => NamedParameters;
  /** Lets others go first while much is searched; without it a search is done at once. */
  readonly takeTurns?: TakeTurns;
}

export interface Guarded {
  readonly recording: Recording;
  /** The call as it came. */
  readonly sent: Pick<Call, "path" | "body">;
  readonly framing: Framing | undefined;
  /** What a protocol reads in a reply, its events joined. */
  readonly readText: (recording: Recording) => string;
}

/** What may be written, or why nothing may. */
export type GuardedRecording =
  | { readonly recording: Recording }
  /** `found` says what is held where, without a full stop. */
  | { readonly found: string; readonly hint: string; readonly fails: boolean };

/** Looks for secrets in what is to be written and does what the project wants done. */
export async function guardRecording(guarded: Guarded, secrets: Secrets): Promise<GuardedRecording> {
  const policy = secrets.policy();
  if (policy === "allow") return guarded;
  const named = secrets.named(guarded.recording.provider);
  const scan = scanOfCall(await secrets.scan(), guarded.sent.path, named);
  return finishInTurns(guardWith(guarded, policy, scan), secrets.takeTurns);
}

function* guardWith(guarded: Guarded, policy: SecretsPolicy, scan: Scan): Steps<GuardedRecording> {
  const { framing } = guarded;
  const found = yield* searchRecording(guarded.recording, scan, {
    text: guarded.readText(guarded.recording),
    framing,
  });
  if (policy !== "redact") return found.length === 0 ? guarded : refusal(found, policy);
  const hidden = yield* encodedSecrets(guarded.sent.body, guarded.recording.request.body, scan);
  if (hidden.length > 0)
    return refusal(
      hidden.map((secret) => ({ ...secret, place: "request body (encoded)" })),
      policy,
    );
  const recording = yield* redactReply(guarded, scan);
  const left = yield* searchRecording(recording, scan, { text: guarded.readText(recording), framing });
  return left.length === 0 ? { recording } : refusal(left, policy);
}

/** The request is without its secrets already; where the reply repeats one, it goes there as well. */
export function* redactReply(
  { recording, sent, framing }: Pick<Guarded, "recording" | "sent" | "framing">,
  scan: Scan,
): Steps<Recording> {
  const ofCall = yield* secretsOfCall(sent, scan);
  function* secretsOf(body: Uint8Array): Steps<readonly Secret[]> {
    return [...ofCall, ...(yield* plainSecrets(body, scan, framing))];
  }
  const body = yield* redactRepeatedly(recording.reply.body, secretsOf, framing);
  return body === recording.reply.body ? recording : { ...recording, reply: { ...recording.reply, body } };
}

function refusal(found: readonly PlacedSecret[], policy: SecretsPolicy): GuardedRecording {
  const [first, ...more] = found;
  const what = first === undefined ? "" : `the ${first.place} holds what looks like ${shownSecret(first)}`;
  const others = more.length === 0 ? "" : `, and ${more.length} more`;
  const why = policy === "redact" ? "; it cannot be redacted there" : "";
  return {
    found: `${what}${others}${why}`,
    hint:
      policy === "redact"
        ? "Take it out there and record again."
        : 'Take it out there and record again, or say in tapedeck.jsonc what to do: "secrets": "redact"; "allowSecrets" names what is no secret.',
    fails: policy === "fail",
  };
}

/**
 * How a call is searched. Where the project names its provider's credentials, the values of its other `key` and `token`
 * parameters are no secrets by their names; what is one by its looks is found in any case.
 */
export function scanOfCall(scan: Scan, path: string, named: NamedParameters): Scan {
  const others = named === undefined ? [] : (splitQuery(path)[1] ?? "").split("&").filter(mayBeCredential);
  if (others.length === 0) return scan;
  const values = new Set(others.map(valueOfParameter));
  return (text) => scan(text).filter(({ kind, value }) => kind !== BY_ITS_NAME || !values.has(value));
}
