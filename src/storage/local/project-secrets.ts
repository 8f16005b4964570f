import type { Call } from "../../core/call.ts";
import type { Secrets } from "../../core/secrets/guard.ts";
import { loadScanner } from "../../core/secrets/load-scanner.ts";
import type { SecretsPolicy } from "../../core/secrets/policy.ts";
import { callWith, redactCall } from "../../core/secrets/redact-call.ts";
import type { Scan } from "../../core/secrets/scanner.ts";
import type { Project, ProjectFile } from "./project-file.ts";
import { sha256 } from "../folder/sha256.ts";

/** How many calls are remembered without their secrets: tests send the same bytes over and over. */
const REMEMBERED = 2_000;

/** What is done about secrets as the project's file says now; `byDefault` where it does not say. */
export function projectSecrets(
  file: Pick<ProjectFile, "current">,
  { byDefault }: { readonly byDefault: SecretsPolicy },
): Secrets {
  let loaded: { readonly of: Project; readonly scan: Promise<Scan> } | undefined;
  let redacting: { readonly of: Scan; readonly redact: (call: Call) => Call } | undefined;
  return {
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
      if (redacting?.of !== scan) redacting = { of: scan, redact: remembering(scan) };
      return redacting.redact;
    },
  };
}

/** Most calls hold no secret: of these only that is kept. */
function remembering(scan: Scan): (call: Call) => Call {
  const known = new Map<string, Pick<Call, "path" | "body"> | undefined>();
  return (call) => {
    const name = `${sha256(call.body)} ${call.path}`;
    const hit = known.get(name);
    if (hit !== undefined) return callWith(call, hit);
    if (known.has(name)) return call;
    const redacted = redactCall(call, scan);
    if (known.size >= REMEMBERED) known.clear();
    known.set(name, redacted === call ? undefined : { path: redacted.path, body: redacted.body });
    return redacted;
  };
}
