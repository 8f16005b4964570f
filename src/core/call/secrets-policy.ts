/**
 * What becomes of an answer if its call holds a secret: it is recorded without it, recorded with it, not recorded, or
 * not recorded and the run fails.
 */
export type SecretsPolicy = "redact" | "allow" | "drop" | "fail";

export const SECRETS_POLICIES: readonly SecretsPolicy[] = ["redact", "allow", "drop", "fail"];
