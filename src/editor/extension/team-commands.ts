import { joinSentences, localize } from "../../core/base/localize.ts";
import process from "node:process";
import { localizeCount } from "../../core/base/plural.ts";
import type { OpenTransfer } from "../../team/transfer.ts";
import type { ProviderKeys } from "../session/provider-keys.ts";
import type { Session } from "../session/session.ts";
import { COMMANDS, type CommandTable } from "../window/ids.ts";
import type { Log } from "../window/log.ts";
import { ask, flashStatus, sayInformation, showProgress } from "../window/messages.ts";
import { readTargets } from "../calls/call-node-model.ts";
import type { ViewDeps } from "../call-commands/command-targets.ts";
import type { MissingCall } from "../findings/findings-model.ts";
import {
  TEAM_KEY,
  findAddressOfTeam,
  describeFetched,
  createNoCacheError,
  describePulled,
  describePushed,
  createRemoteOptions,
} from "../session/team-model.ts";

interface Parts {
  readonly session: Session;
  readonly keys: ProviderKeys;
  readonly log: Log;
  readonly views: ViewDeps;
}

export function createTeamCommands(parts: Parts) {
  const { session, log, views } = parts;
  return {
    [COMMANDS.pullRecordings]: async (...args) => {
      const calls = readTargets(args).flatMap((one) =>
        "finding" in one ? (views.documents.missing(one.finding) ?? []) : [],
      );
      if (calls.length > 0) return fetchFromTeam(calls, session);
      await transferring(parts, localize("Pulling from the team cache"), async (transfer) => {
        const { pull } = await import("../../team/team.ts");
        const pulled = await pull(transfer, session.deck.project.current.normaliser);
        for (const why of pulled.refused) log.warn(why);
        void sayInformation(describePulled(pulled, transfer.settings.address.name));
      });
    },
    [COMMANDS.pushRecordings]: async () => {
      const count = (await session.deck.store.list()).length;
      const send = localize("Upload");
      const answer = await ask({
        text: localize("Upload the recordings of {0} to the team cache?", session.folder.name),
        detail: localizeCount(
          count,
          "The prompt and the reply of {0} recording leave this machine, unless the cache already has it.",
          "The prompts and replies of {0} recordings leave this machine, except those that the cache already has.",
        ),
        buttons: [send],
      });
      if (answer !== send) return;
      await transferring(parts, localize("Pushing to the team cache"), async (transfer) => {
        const { push } = await import("../../team/team.ts");
        const pushed = await push(transfer, (recording) => session.deck.admit(recording));
        for (const { entry, why } of pushed.kept)
          log.warn(joinSentences(localize("{0} was not uploaded.", entry), why));
        void sayInformation(describePushed(pushed, transfer.settings.address.name));
      });
    },
  } satisfies Partial<CommandTable>;
}

/** The team may have recorded them since they were missed. */
async function fetchFromTeam(calls: readonly MissingCall[], { deck }: Session): Promise<void> {
  if (deck.team?.asks !== true) throw createNoCacheError();
  for (const { miss } of calls) {
    await deck.team.fetchMissing(miss.provider, miss.key);
    const found = deck.store.takes(miss.provider, miss.key).length > 0;
    const text = describeFetched(found, deck.team);
    if (found) flashStatus("cloud-download", text, 5_000);
    else void sayInformation(text);
  }
}

/** Shows progress. A person can cancel it; what was moved before stays. */
async function transferring(
  { session, keys }: Parts,
  title: string,
  work: (transfer: OpenTransfer) => Promise<void>,
): Promise<void> {
  const { openTransfer, readRemoteSettings } = await import("../../team/team.ts");
  const { env } = process;
  const address = findAddressOfTeam(session.settings.remoteAddress, env);
  const settings = readRemoteSettings(createRemoteOptions(address, await keys.get(TEAM_KEY), env), env);
  if (settings === undefined) throw createNoCacheError();
  await showProgress({ where: "message", title, cancellable: true }, async (report, cancelled) => {
    try {
      const transfer = await openTransfer(session.deck.dir, settings, cancelled);
      try {
        await work({
          ...transfer,
          onProgress: (done, of) => report({ message: localize("{0} of {1}", done, of) }),
        });
      } finally {
        await transfer.close();
      }
    } catch (error) {
      if (!cancelled.aborted) throw error;
    }
  });
}
