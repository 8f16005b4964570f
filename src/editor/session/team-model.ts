import { wrongUsage, type TapedeckError } from "../../core/base/errors.ts";
import { plural } from "../../core/base/plural.ts";
import type { DeckTeam } from "../../deck/team.ts";
import type { RemoteOptions } from "../../team/remote-variables.ts";
import type { Pulled, Pushed } from "../../team/transfer.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** The name of the team's key among VS Code's secrets: no provider can have it. */
export const TEAM_KEY = "(team)";

/** The key that a person gave. A keyring that refuses counts as one without it. */
export async function keptTeamKey(keys: {
  readonly get: (name: string) => Promise<string | undefined>;
}): Promise<string | undefined> {
  return keys.get(TEAM_KEY).catch(() => undefined);
}

/** The address of a team cache; undefined if there is none. The user setting comes before the environment. */
export function addressOfTeam(setting: string, env: Env): string | undefined {
  const address = setting.trim() === "" ? env["TAPEDECK_REMOTE"] : setting.trim();
  return address === "" ? undefined : address;
}

export function noCacheNamed(): TapedeckError {
  return wrongUsage("No team cache is named.", "Name it in the user setting tapedeck.remote.address.");
}

/** The team cache of a window, which uploads nothing but by a command. A key that a person gave comes before the variable. */
export function remoteOfWindow(
  address: string | undefined,
  key: string | undefined,
  env: Env,
): RemoteOptions {
  return { address, key: key ?? env["TAPEDECK_REMOTE_KEY"], writes: false };
}

/** One sentence on the state of a team cache; undefined if it was not needed yet. */
export function teamNote(
  team: Pick<DeckTeam, "name" | "counts" | "trouble"> | undefined,
): string | undefined {
  const trouble = team?.trouble();
  if (trouble !== undefined) return `Team cache: ${trouble}`;
  if (team?.name === undefined) return undefined;
  return `Team cache ${team.name}: ${plural(team.counts().brought, "recording")} downloaded in this window.`;
}

/** The result of a click that downloads a call. */
export function fetchedText(found: boolean, team: Pick<DeckTeam, "trouble"> | undefined): string {
  if (found) return "Downloaded from the team cache: this call is answered now";
  const trouble = team?.trouble();
  return trouble === undefined
    ? "The team cache does not have this call either. Record it, and push it for the others."
    : `The team cache could not be used. ${trouble}`;
}

export function pulledText({ brought, here, refused }: Pulled, cache: string): string {
  const unused =
    refused.length === 0
      ? ""
      : ` ${plural(refused.length, "object")} there could not be used; see the log for the reason.`;
  if (brought.length === 0)
    return `${cache} has nothing that is not here (${plural(here, "call")} ${here === 1 ? "was" : "were"} here).${unused}`;
  return `${plural(brought.length, "recording")} downloaded from ${cache}.${unused}`;
}

export function pushedText({ added, there, newer, kept }: Pushed, cache: string): string {
  const left =
    newer.length === 0
      ? ""
      : ` ${plural(newer.length, "recording")} not uploaded, because the cache has newer ones.`;
  const notSent =
    kept.length === 0 ? "" : ` ${plural(kept.length, "recording")} not uploaded; see the log for the reason.`;
  if (added.length > 0) return `${plural(added.length, "recording")} uploaded to ${cache}.${left}${notSent}`;
  return `Nothing was uploaded: ${cache} had ${plural(there, "recording")} of these.${left}${notSent}`;
}
