import { joinSentences, localize } from "../../core/base/localize.ts";
import { createWrongUsage, type TapedeckError } from "../../core/base/errors.ts";
import { localizeCount } from "../../core/base/plural.ts";
import type { DeckTeam } from "../../deck/team.ts";
import type { RemoteOptions } from "../../team/remote-variables.ts";
import type { Pulled, Pushed } from "../../team/transfer.ts";

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
    team.counts().brought,
    "Team cache {1}: {0} recording downloaded in this window.",
    "Team cache {1}: {0} recordings downloaded in this window.",
    team.name,
  );
}

export function describePulled({ brought, here, refused }: Pulled, cache: string): string {
  const unused =
    refused.length === 0
      ? ""
      : localizeCount(
          refused.length,
          "{0} object could not be used; the log has the reason.",
          "{0} objects could not be used; the log has the reasons.",
        );
  const result =
    brought.length === 0
      ? localizeCount(
          here,
          "{1} has no other recordings ({0} call is already here).",
          "{1} has no other recordings ({0} calls are already here).",
          cache,
        )
      : localizeCount(
          brought.length,
          "{0} recording downloaded from {1}.",
          "{0} recordings downloaded from {1}.",
          cache,
        );
  return joinSentences(result, unused);
}

export function describePushed({ added, there, newer, kept }: Pushed, cache: string): string {
  const left =
    newer.length === 0
      ? ""
      : localizeCount(
          newer.length,
          "{0} recording not uploaded, because the cache has a newer one.",
          "{0} recordings not uploaded, because the cache has newer ones.",
        );
  const notSent =
    kept.length === 0
      ? ""
      : localizeCount(
          kept.length,
          "{0} recording not uploaded; the log has the reason.",
          "{0} recordings not uploaded; the log has the reasons.",
        );
  const result =
    added.length > 0
      ? localizeCount(
          added.length,
          "{0} recording uploaded to {1}.",
          "{0} recordings uploaded to {1}.",
          cache,
        )
      : localizeCount(
          there,
          "Nothing was uploaded, because {1} already has {0} recording.",
          "Nothing was uploaded, because {1} already has {0} recordings.",
          cache,
        );
  return joinSentences(result, left, notSent);
}
