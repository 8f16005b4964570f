import process from "node:process";
import { plural } from "../../core/plural.ts";
import type { OpenTransfer } from "../../team/transfer.ts";
import type { ProviderKeys } from "../session/provider-keys.ts";
import type { Session } from "../session/session.ts";
import { COMMANDS, type CommandTable } from "../window/ids.ts";
import type { Log } from "../window/log.ts";
import { ask, flashStatus, sayInformation, showProgress } from "../window/messages.ts";
import { askSecret } from "../window/picks.ts";
import { addressOfTeam, noCacheNamed, pulledText, pushedText, saidInWindow, TEAM_KEY } from "./team-model.ts";

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
        prompt: "Kept among VS Code's secrets. What is not signed with it is not used; no run is given it.",
      });
      if (key === undefined) return;
      await keys.set(TEAM_KEY, key.trim());
      flashStatus("key", "Team's key kept");
    },
    [COMMANDS.pullRecordings]: () =>
      transferring(parts, { writes: false, title: "Pulling from the team's cache" }, async (transfer) => {
        const { pull } = await import("../../team/team.ts");
        const pulled = await pull(transfer);
        for (const why of pulled.refused) log.warn(why);
        void sayInformation(pulledText(pulled, transfer.store.name));
      }),
    [COMMANDS.pushRecordings]: async () => {
      const count = (await session.deck.store.list()).length;
      const send = "Send";
      const answer = await ask({
        text: `Send the recordings of ${session.folder.name} to the team's cache?`,
        detail: `Prompts and answers leave this machine: of ${plural(count, "recording")} those that are not there yet.`,
        buttons: [send],
      });
      if (answer !== send) return;
      await transferring(parts, { writes: true, title: "Pushing to the team's cache" }, async (transfer) => {
        const { push } = await import("../../team/team.ts");
        const pushed = await push({ ...transfer, admit: (recording) => session.deck.admit(recording) });
        for (const { entry, why } of pushed.kept) log.warn(`${entry} was not sent. ${why}`);
        void sayInformation(pushedText(pushed, transfer.store.name));
      });
    },
  } satisfies Partial<CommandTable>;
}

/** With progress, and until a person does not want it any more: what came or went before is whole. */
async function transferring(
  { session, keys }: Parts,
  { writes, title }: { readonly writes: boolean; readonly title: string },
  work: (transfer: OpenTransfer) => Promise<void>,
): Promise<void> {
  const { openTransfer, readRemoteSettings } = await import("../../team/team.ts");
  const { env } = process;
  const address = addressOfTeam(session.settings.remoteAddress, env);
  const said = saidInWindow(address, await keys.get(TEAM_KEY), { env, writes });
  const settings = readRemoteSettings(said, env);
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
