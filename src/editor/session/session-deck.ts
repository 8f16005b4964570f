import { localize } from "../../core/base/localize.ts";
import * as vscode from "vscode";
import { stat } from "node:fs/promises";
import type { StoreChange } from "../../core/cassette/store.ts";
import type { CallEvent } from "../../core/call/call.ts";
import { explain } from "../../core/base/errors.ts";
import type { Connect } from "../../core/answer/source/source.ts";
import { VSCODE_MODELS_ADDRESS } from "../../core/protocol/providers.ts";
import { suggestProvider } from "../../core/protocol/near-provider.ts";
import { parseProviderName, parseUpstreamAddress } from "../../core/protocol/upstream-address.ts";
import { type Notice, openDeck } from "../../deck/deck.ts";
import type { RemoteToRead } from "../../deck/team.ts";
import { findAddressOfTeam, createRemoteOptions, describeTeam } from "./team-model.ts";
import { beforePaidCall } from "../runs/paid-calls.ts";
import { OWN_UPSTREAMS } from "../environment/own-environment.ts";
import { type Settings, convertLimits } from "../settings/settings-model.ts";
import { resolveCassetteDir } from "./cassette-dir-model.ts";

/** The deck of a session. It is opened on first use, and replaced after a setting changed. */
export type SessionDeck = ReturnType<typeof openSessionDeck>;

export interface SessionDeckOptions {
  /** The workspace folder's path. */
  readonly folder: string;
  /** Reads the current settings, so that a raised limit applies to the next call. */
  readonly settings: () => Settings;
  /** The key of the team's cache that a person gave to Tapedeck. */
  readonly teamKey: () => Promise<string | undefined>;
  readonly onCall: (event: CallEvent) => void;
  readonly onChange: (change: StoreChange) => void;
  readonly onNotice: (notice: Notice) => void;
}

export function openSessionDeck(options: SessionDeckOptions) {
  const settings = options.settings();
  const { allowed, problems } = allowedUpstreams(settings.upstreams);
  const own = [
    ...problems,
    ...[...OWN_UPSTREAMS.unusable, ...OWN_UPSTREAMS.unusableBesides].map(({ problem }) => problem),
  ];
  const remote = remoteFor(settings, options);
  const dir = getCassetteDir(options.folder, settings);
  const deck = openDeck({
    dir,
    upstreams: allowed,
    ownUpstreams: OWN_UPSTREAMS,
    timing: settings.timing,
    limits: () => convertLimits(options.settings()),
    prices: () => options.settings().limits.prices,
    beforePaidCall,
    // In Restricted Mode, only files that are shown are read.
    project: () => vscode.workspace.isTrusted,
    inProcess: { address: VSCODE_MODELS_ADDRESS, connect: connectToWindowModels },
    remote,
  });
  const listening = [
    deck.engine.onCall(options.onCall),
    deck.store.watch(options.onChange),
    deck.onNotice(options.onNotice),
    // Names depend on the rules, so a missed call may have a recording under new rules.
    deck.project.onChange(() => {
      const notify = (): void => options.onChange({});
      if (vscode.workspace.isTrusted && deck.names.areOutdated()) deck.names.rename().then(notify, notify);
      else notify();
    }),
  ];
  return {
    deck,
    /** One sentence for each setting that the deck could not use, and one on the state of a team's cache. */
    get problems() {
      const note = describeTeam(deck.team);
      return note === undefined ? own : [...own, note];
    },
    async close() {
      for (const one of listening) one.dispose();
      await deck.close();
    },
  };
}

/** Sends calls of `vscode.lm` to the models of this window. */
const connectToWindowModels: Connect = async (request) =>
  (await import("../language-models/real-models.ts")).connectToModels(request);

/** Untrusted folders get nothing from the team cache, because no call is answered there. */
function remoteFor({ remoteAddress }: Settings, { teamKey }: SessionDeckOptions): RemoteToRead | undefined {
  const { env } = process;
  const address = findAddressOfTeam(remoteAddress, env);
  if (address === undefined) return undefined;
  const wantedAddress = (): string | undefined => (vscode.workspace.isTrusted ? address : undefined);
  return { env, read: async () => createRemoteOptions(wantedAddress(), await teamKey(), env) };
}

/** The cassette folder of a workspace folder, absolute. */
export function getCassetteDir(folder: string, settings: Pick<Settings, "folder">): string {
  return resolveCassetteDir(folder, settings.folder).dir;
}

export async function isFolder(dir: string): Promise<boolean> {
  return stat(dir).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/** Whether the change of settings needs a new deck. */
export function needsAnotherDeck(before: Settings, now: Settings): boolean {
  const deckSettings = (settings: Settings): string => {
    const { folder, upstreams, timing, remoteAddress } = settings;
    return JSON.stringify([folder, upstreams, timing, remoteAddress]);
  };
  return deckSettings(before) !== deckSettings(now);
}

/** Splits the upstreams into allowed addresses and problems. An invalid address does not affect the others. */
function allowedUpstreams(upstreams: Readonly<Record<string, string>>): {
  readonly allowed: Readonly<Record<string, string>>;
  readonly problems: readonly string[];
} {
  const allowed: Record<string, string> = {};
  const problems: string[] = [];
  for (const [name, address] of Object.entries(upstreams)) {
    try {
      parseUpstreamAddress(parseProviderName(name), address);
      allowed[name] = address;
      const near = suggestProvider(name);
      if (near !== undefined) problems.push(localize("The setting tapedeck.upstreams: {0}", near));
    } catch (error) {
      problems.push(localize("The setting tapedeck.upstreams: {0}", explain(error)));
    }
  }
  return { allowed, problems };
}
