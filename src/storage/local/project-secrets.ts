import { setImmediate } from "node:timers/promises";
import type { NamedParameters } from "../../core/cassette/recorded-request.ts";
import { copyCallWith } from "../../core/call/call-with.ts";
import type { Call } from "../../core/call/call.ts";
import { scanOfCall, type Secrets } from "../../core/secrets/guard.ts";
import { createOwnScanner } from "./own-scanner.ts";
import type { SecretsPolicy } from "../../core/call/secrets-policy.ts";
import { redactPlaces, redactTest, withoutNamed } from "../../core/secrets/redact-call.ts";
import type { Scan } from "../../core/secrets/scanner.ts";
import type { Project, ProjectFile } from "./project-file.ts";

export interface ProjectSecrets extends Secrets {
  /** Applies a changed file. */
  changed(): void;
}

/** Returns the current policy for secrets in the project's file; `byDefault` if it has none. */
export function createProjectSecrets(
  file: Pick<ProjectFile, "current">,
  { byDefault }: { readonly byDefault: SecretsPolicy },
): ProjectSecrets {
  let loaded: { readonly of: Project; readonly scan: Promise<Scan> } | undefined;
  const secrets: ProjectSecrets & { redact: Secrets["redact"] } = {
    policy: () => file.current.config.secrets ?? byDefault,
    scan() {
      const of = file.current;
      if (of.scan !== undefined) return Promise.resolve(of.scan);
      if (loaded?.of !== of) loaded = { of, scan: createOwnScanner(of.allowsSecret) };
      return loaded.scan;
    },
    redact: redactAs(file.current),
    async redactTitles(call) {
      if (secrets.policy() === "allow") return call;
      return redactTitles(call, await secrets.scan());
    },
    async hide(call) {
      const isAsShown = secrets.policy() === "allow" || secrets.policy() === "redact";
      return isAsShown ? call : redactCall(call, await secrets.scan(), secrets.named(call.provider));
    },
    changed() {
      secrets.redact = redactAs(file.current);
    },
    nextTurn: () => setImmediate(),
    named: (provider) => file.current.config.credentials?.get(provider),
  };
  return secrets;
}

/** Removes secrets from the titles of the call's test. */
function redactTitles(call: Call, scan: Scan): Call {
  if (call.test === undefined) return call;
  const test = redactTest(call.test, scan);
  return test === call.test ? call : copyCallWith(call, { path: call.path, body: call.body, test });
}

/** Returns the function that removes credentials that the project names, and secrets if it redacts them. */
function redactAs({ scan, config: { credentials } }: Project): ((call: Call) => Call) | undefined {
  if (scan === undefined && credentials === undefined) return undefined;
  return (sent) => {
    const named = credentials?.get(sent.provider);
    const { path, body } = named === undefined ? sent : withoutNamed(sent, named);
    const call = path === sent.path && body === sent.body ? sent : copyCallWith(sent, { path, body });
    return scan === undefined ? call : redactCall(call, scan, named);
  };
}

function redactCall(call: Call, scan: Scan, named: NamedParameters): Call {
  const redacted = redactPlaces(call, scanOfCall(scan, call.path, named), named);
  const isSame = redacted.path === call.path && redacted.body === call.body;
  return isSame ? call : copyCallWith(call, redacted);
}
