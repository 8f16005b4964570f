import { fault, stringAt, type Place } from "../cassette/file-reader.ts";
import { ALLOWED_HASH, SECRETS_POLICIES, type SecretsPolicy } from "../secrets/policy.ts";
import { patternAt, type CheckPattern } from "./read-rule.ts";

/** What `secrets` says. @throws JsonFault where it says nothing that is known. */
export function policyAt(place: Place): SecretsPolicy {
  const value = stringAt(place);
  const policy = SECRETS_POLICIES.find((known) => known === value);
  if (policy === undefined) throw fault(place, 'must be "redact", "allow", "drop" or "fail"');
  return policy;
}

/** One of `allowSecrets`: a pattern, or a hash. @throws JsonFault where it is neither. */
export function allowedSecretAt(place: Place, checkPattern: CheckPattern): string {
  const value = stringAt(place);
  if (ALLOWED_HASH.test(value)) return value;
  if (value.startsWith("sha256:"))
    throw fault(place, "must have 64 lower-case hexadecimal digits behind sha256:");
  return patternAt(place, checkPattern);
}
