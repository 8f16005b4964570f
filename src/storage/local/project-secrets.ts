import type { Call } from "../../core/call.ts";
import type { Secrets } from "../../core/secrets/guard.ts";
import { loadScanner } from "../../core/secrets/load-scanner.ts";
import type { SecretsPolicy } from "../../core/secrets/policy.ts";
import { callWith, redactCall, redactCallIn, redactTest } from "../../core/secrets/redact-call.ts";
import type { TakeTurns } from "../../core/take-turns.ts";
import type { Scan } from "../../core/secrets/scanner.ts";
import { finishInTurns } from "../../core/steps.ts";
import type { Project, ProjectFile } from "./project-file.ts";
import { sha256 } from "../folder/sha256.ts";
import { createTakeTurns } from "../folder/take-turns.ts";

/** How many calls are remembered without their secrets: tests send the same bytes over and over. */
const REMEMBERED = 2_000;

/** What is done about secrets as the project's file says now; `byDefault` where it does not say. */
export function projectSecrets(
  file: Pick<ProjectFile, "current">,
  { byDefault }: { readonly byDefault: SecretsPolicy },
): Secrets {
  let loaded: { readonly of: Project; readonly scan: Promise<Scan> } | undefined;
  let redacting: { readonly of: Scan; readonly redact: Redact } | undefined;
  const takeTurns = createTakeTurns();
  return {
    takeTurns,
    policy: () => file.current.config.secrets ?? byDefault,
    scan() {
      const of = file.current;
      if (of.scan !== undefined) return Promise.resolve(of.scan);
      if (loaded?.of !== of) loaded = { of, scan: loadScanner(of.allowsSecret) };
      return loaded.scan;
    },
    redact() {
      const { scan } = file.current;
      if (scan === undefined) return undefined;
      if (redacting?.of !== scan) redacting = { of: scan, redact: remembering(scan, takeTurns) };
      return redacting.redact;
    },
  };
}

/** With titles of its test that say no secret. */
function titled(call: Call, scan: Scan): Call {
  if (call.test === undefined) return call;
  const test = redactTest(call.test, scan);
  return test === call.test ? call : callWith({ ...call, test, signal: call.signal }, call);
}

type Redact = (call: Call) => Call | Promise<Call>;

/** So long a body is searched at once: a wait for a turn would cost more. In bytes. */
const SHORT = 65_536;

/** Most calls hold no secret: of these only that is kept. */
function remembering(scan: Scan, takeTurns: TakeTurns): Redact {
  const known = new Map<string, Pick<Call, "path" | "body"> | undefined>();
  return (sent) => {
    const call = titled(sent, scan);
    const name = `${sha256(call.body)} ${call.path}`;
    const hit = known.get(name);
    if (hit !== undefined) return callWith(call, hit);
    if (known.has(name)) return call;
    const remember = (redacted: Call): Call => {
      if (known.size >= REMEMBERED) known.clear();
      known.set(name, redacted === call ? undefined : { path: redacted.path, body: redacted.body });
      return redacted;
    };
    if (call.body.byteLength <= SHORT) return remember(redactCall(call, scan));
    return finishInTurns(redactCallIn(call, scan), takeTurns).then(remember);
  };
}
