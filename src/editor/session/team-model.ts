import { localize } from "../../core/base/localize.ts";
import { createWrongUsage, type TapedeckError } from "../../core/base/errors.ts";
import { localizeCount } from "../../core/base/plural.ts";
import type { DeckTeam } from "../../deck/team.ts";
import type { RemoteOptions } from "../../team/remote-variables.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** The name of the team's key among VS Code's secrets: no provider can have it. */
export const TEAM_KEY = "(team)";

/** The key that a person gave. A keyring that refuses counts as one without it. */
export async function readKeptTeamKey(keys: {
  readonly get: (name: string) => Promise<string | undefined>;
}): Promise<string | undefined> {
  return keys.get(TEAM_KEY).catch(() => undefined);
}

/** The address of a team cache; undefined if there is none. The user setting comes before the environment. */
export function findAddressOfTeam(setting: string, env: Env): string | undefined {
  const address = setting.trim() === "" ? env["TAPEDECK_REMOTE"] : setting.trim();
  return address === "" ? undefined : address;
}

export function createNoCacheError(): TapedeckError {
  return createWrongUsage(
    localize("No team cache is configured."),
    localize("Enter its address in the user setting tapedeck.remote.address."),
  );
}

/** The team cache of a window, which uploads nothing but by a command. A key that a person gave comes before the variable. */
export function createRemoteOptions(
  address: string | undefined,
  key: string | undefined,
  env: Env,
): RemoteOptions {
  return { address, key: key ?? env["TAPEDECK_REMOTE_KEY"], writes: false };
}

/** One sentence on the state of a team cache; undefined if it was not needed yet. */
export function describeTeam(
  team: Pick<DeckTeam, "name" | "counts" | "trouble"> | undefined,
): string | undefined {
  const trouble = team?.trouble();
  if (trouble !== undefined) return localize("Team cache: {0}", trouble);
  if (team?.name === undefined) return undefined;
  return localizeCount(
    team.counts().downloaded,
    "Team cache {1}: {0} recording downloaded in this window.",
    "Team cache {1}: {0} recordings downloaded in this window.",
    team.name,
  );
}
