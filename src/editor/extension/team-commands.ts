import { joinSentences, localize } from "../../core/base/localize.ts";
import { localizeCount } from "../../core/base/plural.ts";
import type { RemoteSettings } from "../../team/settings.ts";
import type { OpenTransfer } from "../../team/transfer.ts";
import type { ProviderKeys } from "../session/provider-keys.ts";
import type { Session } from "../session/session.ts";
import { COMMANDS, type CommandTable } from "../window/ids.ts";
import type { Log } from "../window/log.ts";
import { ask, showInformation, showProgress } from "../window/messages.ts";
import {
  TEAM_KEY,
  findAddressOfTeam,
  createNoCacheError,
  createRemoteOptions,
} from "../session/team-model.ts";

interface Parts {
  readonly session: Session;
  readonly keys: ProviderKeys;
  readonly log: Log;
}

export function createTeamCommands(parts: Parts) {
  const { session, log } = parts;
  return {
    [COMMANDS.pullRecordings]: async () => {
      await transferring(parts, localize("Pulling from the team cache"), async (transfer) => {
        const { describePulled, pull } = await import("../../team/team.ts");
        const pulled = await pull(transfer, session.deck.project.current.normalizer);
        for (const why of pulled.refused) log.warn(why);
        showResult(describePulled(pulled, transfer.settings.address.name), pulled.refused);
      });
    },
    [COMMANDS.pushRecordings]: async () => {
      await readSettings(parts);
      const count = (await session.deck.store.list()).length;
      if (count === 0) {
        void showInformation(localize("There are no recordings to upload."));
        return;
      }
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
        const { describePushed, push } = await import("../../team/team.ts");
        const pushed = await push(transfer, (recording) => session.deck.admit(recording));
        for (const { entry, why } of pushed.kept) log.warn(localize("{0} was not uploaded. {1}", entry, why));
        showResult(describePushed(pushed, transfer.settings.address.name), pushed.kept);
      });
    },
  } satisfies Partial<CommandTable>;
}

/** `reasons`: why some recordings were left out, as they are in the log. */
function showResult(result: string, reasons: readonly unknown[]): void {
  const inLog = reasons.length === 0 ? "" : localize("The log has the reasons.");
  void showInformation(joinSentences(result, inLog));
}

/** @throws TapedeckError if no team cache is configured */
async function readSettings({ session, keys }: Parts): Promise<RemoteSettings> {
  const { readRemoteSettings } = await import("../../team/team.ts");
  const { env } = process;
  const address = findAddressOfTeam(session.settings.remoteAddress, env);
  const settings = readRemoteSettings(createRemoteOptions(address, await keys.get(TEAM_KEY), env), env);
  if (settings === undefined) throw createNoCacheError();
  return settings;
}

/** Shows progress. A person can cancel it; what was moved before stays. */
async function transferring(
  parts: Parts,
  title: string,
  work: (transfer: OpenTransfer) => Promise<void>,
): Promise<void> {
  const { openTransfer } = await import("../../team/team.ts");
  const settings = await readSettings(parts);
  await showProgress({ where: "message", title, cancellable: true }, async (report, cancelled) => {
    try {
      const transfer = await openTransfer(parts.session.deck.dir, settings, cancelled);
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
