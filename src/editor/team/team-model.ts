import { wrongUsage, type TapedeckError } from "../../core/errors.ts";
import { countText, plural } from "../../core/plural.ts";
import type { DeckTeam } from "../../deck/team.ts";
import type { SaidOfRemote } from "../../team/said.ts";
import type { Pulled } from "../../team/pull.ts";
import type { Pushed } from "../../team/push.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Under what the team's key is kept among VS Code's secrets: no provider can be called so. */
export const TEAM_KEY = "(team)";

/** The key that a person gave. A keyring that refuses is as good as one without it. */
export async function keptTeamKey(keys: {
  readonly get: (name: string) => Promise<string | undefined>;
}): Promise<string | undefined> {
  return keys.get(TEAM_KEY).catch(() => undefined);
}

/** The address of a team's cache; undefined where there is none. A setting of the user's goes before their environment. */
export function addressOfTeam(setting: string, env: Env): string | undefined {
  const address = setting.trim() === "" ? env["TAPEDECK_REMOTE"] : setting.trim();
  return address === "" ? undefined : address;
}

export function noCacheNamed(): TapedeckError {
  return wrongUsage("No team's cache is named.", "Name it in the user setting tapedeck.remote.address.");
}

/** What is said of it in a window: nothing is added but by a command. A key that a person gave goes before the variable. */
export function saidInWindow(
  address: string | undefined,
  key: string | undefined,
  { env, writes = false }: { readonly env: Env; readonly writes?: boolean },
): SaidOfRemote {
  return {
    address,
    key: key ?? env["TAPEDECK_REMOTE_KEY"],
    scope: env["TAPEDECK_REMOTE_SCOPE"],
    writes,
    encrypt: (env["TAPEDECK_REMOTE_ENCRYPT"] ?? "") === "1",
  };
}

/** One sentence on the state of a team's cache; undefined where nobody asked it yet. */
export function teamNote(
  team: Pick<DeckTeam, "name" | "counts" | "trouble"> | undefined,
): string | undefined {
  const trouble = team?.trouble();
  if (trouble !== undefined) return `Team's cache: ${trouble}`;
  if (team?.name === undefined) return undefined;
  return `Team's cache ${team.name}: ${plural(team.counts().brought, "recording")} fetched in this window.`;
}

/** What came of a click that fetches a call: `found` says whether the cache has it. */
export function fetchedText(found: boolean, team: Pick<DeckTeam, "trouble"> | undefined): string {
  if (found) return "Fetched from the team's cache: this call is answered now";
  const trouble = team?.trouble();
  return trouble === undefined
    ? "The team's cache does not have this call either. Record it, and push it for the others."
    : `The team's cache could not be asked. ${trouble}`;
}

export function pulledText({ brought, here, refused }: Pulled, cache: string): string {
  const unused =
    refused.length === 0
      ? ""
      : ` ${plural(refused.length, "object")} there could not be used; the log says why.`;
  if (brought.length === 0)
    return `${cache} has nothing that is not here (${countText(here)} were here).${unused}`;
  return `${plural(brought.length, "recording")} brought from ${cache}.${unused}`;
}

export function pushedText({ added, there, kept }: Pushed, cache: string): string {
  const unsent = kept.length === 0 ? "" : ` ${plural(kept.length, "recording")} not sent; the log says why.`;
  if (added.length === 0)
    return `Nothing was sent: ${cache} has all ${countText(there)} that may be.${unsent}`;
  return `${plural(added.length, "recording")} sent to ${cache}.${unsent}`;
}
