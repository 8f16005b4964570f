import process from "node:process";
import { plural } from "../../core/plural.ts";
import type { OpenTransfer } from "../../team/transfer.ts";
import type { ProviderKeys } from "../session/provider-keys.ts";
import type { Session } from "../session/session.ts";
import { COMMANDS, type CommandTable } from "../window/ids.ts";
import type { Log } from "../window/log.ts";
import { ask, flashStatus, sayInformation, showProgress } from "../window/messages.ts";
import { askSecret } from "../window/picks.ts";
import {
  addressOfTeam,
  noCacheNamed,
  pulledText,
  pushedText,
  remoteOfWindow,
  TEAM_KEY,
} from "./team-model.ts";

interface Parts {
  readonly session: Session;
  readonly keys: ProviderKeys;
  readonly log: Log;
}

export function teamCommands(parts: Parts) {
  const { session, keys, log } = parts;
  return {
    [COMMANDS.setTeamKey]: async () => {
      const key = await askSecret({
        title: "Tapedeck: the team's key",
        prompt:
          "Kept among VS Code's secrets. Recordings that are not signed with it are not used; no run gets it.",
      });
      if (key === undefined) return;
      await keys.set(TEAM_KEY, key.trim());
      flashStatus("key", "Team's key kept");
    },
    [COMMANDS.pullRecordings]: () =>
      transferring(parts, "Pulling from the team cache", async (transfer) => {
        const { pull } = await import("../../team/team.ts");
        const pulled = await pull(transfer, session.deck.project.current.normaliser);
        for (const why of pulled.refused) log.warn(why);
        void sayInformation(pulledText(pulled, transfer.settings.address.name));
      }),
    [COMMANDS.pushRecordings]: async () => {
      const count = (await session.deck.store.list()).length;
      const send = "Upload";
      const answer = await ask({
        text: `Upload the recordings of ${session.folder.name} to the team cache?`,
        detail: `Prompts and answers leave this machine: those of ${plural(count, "recording")} that the cache does not have.`,
        buttons: [send],
      });
      if (answer !== send) return;
      await transferring(parts, "Pushing to the team cache", async (transfer) => {
        const { push } = await import("../../team/team.ts");
        const pushed = await push(transfer, (recording) => session.deck.admit(recording));
        for (const { entry, why } of pushed.kept) log.warn(`${entry} was not uploaded. ${why}`);
        void sayInformation(pushedText(pushed, transfer.settings.address.name));
      });
    },
  } satisfies Partial<CommandTable>;
}

/** Shows progress. A person can cancel it; what was moved before stays. */
async function transferring(
  { session, keys }: Parts,
  title: string,
  work: (transfer: OpenTransfer) => Promise<void>,
): Promise<void> {
  const { openTransfer, readRemoteSettings } = await import("../../team/team.ts");
  const { env } = process;
  const address = addressOfTeam(session.settings.remoteAddress, env);
  const settings = readRemoteSettings(remoteOfWindow(address, await keys.get(TEAM_KEY), env), env);
  if (settings === undefined) throw noCacheNamed();
  await showProgress({ where: "message", title, cancellable: true }, async (report, cancelled) => {
    try {
      const transfer = await openTransfer(session.deck.dir, settings, cancelled);
      try {
        await work({ ...transfer, onProgress: (done, of) => report({ message: `${done} of ${of}` }) });
      } finally {
        await transfer.close();
      }
    } catch (error) {
      if (!cancelled.aborted) throw error;
    }
  });
}
