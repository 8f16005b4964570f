import type { Secrets } from "../../src/core/secrets/guard.ts";
import { loadScanner } from "../../src/core/secrets/load-scanner.ts";
import type { SecretsPolicy } from "../../src/core/call/secrets-policy.ts";
import { createProjectSecrets } from "../../src/storage/local/project-secrets.ts";

/** Returns the handling of secrets in a project with this policy. */
export async function secretsThat(policy: SecretsPolicy): Promise<Secrets> {
  const config = { normalize: [], secrets: policy };
  const scan = policy === "redact" ? { scan: await loadScanner() } : {};
  const current = { config, rules: "", normalizer: undefined, allowsSecret: () => false, ...scan };
  return createProjectSecrets({ current }, { byDefault: "drop" });
}
