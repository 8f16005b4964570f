import { localize } from "../core/base/localize.ts";
import { createWrongUsage } from "../core/base/errors.ts";
import { readAddress, type TeamAddress } from "../remote/address.ts";
import { readTeamKeys, type TeamKeys } from "../remote/team-keys.ts";
import type { Env, RemoteOptions } from "./remote-variables.ts";

/** How a team cache is used. */
export interface RemoteSettings {
  readonly address: TeamAddress;
  readonly keys: TeamKeys;
  /** Whether new recordings of a run are uploaded: a person asked for it, and there is a private key. */
  readonly writes: boolean;
  /** Whether a person asked for uploads, and there is no private key. */
  readonly lacksPrivateKey: boolean;
}

/**
 * Undefined if no cache is named. `env` has the credentials of its engine.
 * @throws TapedeckError `tapedeck_usage`; it repeats nothing of a key
 */
export function readRemoteSettings(
  { address: text = "", key = "", writes }: RemoteOptions,
  env: Env,
): RemoteSettings | undefined {
  if (text.trim() === "") return undefined;
  const address = readAddress(text, env);
  if (key.trim() === "")
    throw createWrongUsage(
      localize("The team cache has no key."),
      localize(
        "Set TAPEDECK_REMOTE_KEY to the private key to write, or to the public key to read. Create a pair with tapedeck team key.",
      ),
    );
  const keys = readTeamKeys(key);
  const canSign = keys.signing !== undefined;
  return { address, keys, writes: writes && canSign, lacksPrivateKey: writes && !canSign };
}
