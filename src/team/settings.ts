import { wrongUsage } from "../core/errors.ts";
import { readRemoteAddress } from "../remote/address/read-remote-address.ts";
import type { RemoteAddress } from "../remote/address/remote-address.ts";
import { readTeamKeys, type TeamKeys } from "../remote/sealed/team-keys.ts";
import { TRUSTED } from "../storage/team/team-layer.ts";
import { isScope } from "./names.ts";
import type { Env, SaidOfRemote } from "./said.ts";

/** How a team's cache is used, as a person said it. */
export interface RemoteSettings {
  readonly address: RemoteAddress;
  readonly keys: TeamKeys;
  /** Whether new recordings are added. */
  readonly writes: boolean;
  /** What is written, and, beside what is trusted, read. */
  readonly scope: string;
  /** Whether what is sent is encrypted with the team's key. */
  readonly encrypt: boolean;
}

/**
 * Undefined where no cache is named. `env` has what its engine needs.
 * @throws TapedeckError `tapedeck_usage`; it repeats nothing of a key
 */
export function readRemoteSettings(said: SaidOfRemote, env: Env): RemoteSettings | undefined {
  const { address: text = "", key = "", scope = "", writes, encrypt } = said;
  if (text === "") return undefined;
  const address = readRemoteAddress(text, env);
  if (key.trim() === "") throw noKey();
  const keys = readTeamKeys(key);
  if (keys.trusted.size === 0) throw noKey();
  if (writes && keys.signing === undefined)
    throw wrongUsage(
      "Nothing can be sent to the team's cache: the key at hand only reads.",
      "Set TAPEDECK_REMOTE_KEY to a key of the team that signs, or leave writing out.",
    );
  const word = scope === "" ? TRUSTED : scope;
  if (!isScope(word))
    throw wrongUsage(
      `"${word}" cannot be a scope.`,
      "Take lower-case letters, digits and - in between, at most 40, such as pr-123.",
    );
  return { address, keys, writes, scope: word, encrypt };
}

/** What everybody may read comes first. What is written elsewhere is read only by who writes there. */
export function readScopesOf({ scope }: Pick<RemoteSettings, "scope">): readonly string[] {
  return scope === TRUSTED ? [TRUSTED] : [TRUSTED, scope];
}

function noKey(): Error {
  return wrongUsage(
    "A team's cache is named, and no key of the team.",
    "Set TAPEDECK_REMOTE_KEY: what is not signed with a key of the team is not used. tapedeck team key makes one.",
  );
}
