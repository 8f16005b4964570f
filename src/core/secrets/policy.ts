/**
 * What becomes of an answer whose call holds a secret: it is recorded without it, recorded with it, not recorded, or
 * not recorded and the run has failed.
 */
export type SecretsPolicy = "redact" | "allow" | "drop" | "fail";

export const SECRETS_POLICIES: readonly SecretsPolicy[] = ["redact", "allow", "drop", "fail"];

/** What `allowSecrets` says of one value: a pattern that is found in it, or its SHA-256. */
export const ALLOWED_HASH = /^sha256:([0-9a-f]{64})$/;
