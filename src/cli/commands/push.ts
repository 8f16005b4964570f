import { openDeck } from "../../deck/deck.ts";
import { plural } from "../../core/plural.ts";
import { visibleJson } from "../../core/view/visible.ts";
import { inspectFolder, readDir } from "../options/dir.ts";
import { needRemote, REMOTE_HELP } from "../options/remote-options.ts";
import { DIR_ONLY_HELP } from "../options/serve-options.ts";
import { EXIT, type Command } from "../command.ts";
import { tellSome } from "../terminal.ts";

export const teamPush: Command = {
  name: "team push",
  summary: "Upload the recordings of this project, with their prompts and answers, to the team cache.",
  synopsis: "team push [--remote ADDRESS] [--dir D] [--json]",
  options: [
    ...REMOTE_HELP.filter(([option]) => /--remote(?: |-scope|-encrypt)/.test(option)),
    DIR_ONLY_HELP,
    ["--json", "what was added and what was not, as JSON"],
  ],
  unlisted: REMOTE_HELP,
  async execute(args, terminal) {
    const settings = await needRemote(args, terminal, { writes: true });
    const { dir } = readDir(args, terminal);
    await inspectFolder(dir, { writes: false });
    const { openTransfer, push } = await import("../../team/team.ts");
    const transfer = await openTransfer(dir, settings);
    const deck = openDeck({ dir, env: terminal.env });
    try {
      const { added, there, kept } = await push({ ...transfer, admit: (recording) => deck.admit(recording) });
      tellSome(
        terminal,
        kept.map(({ entry, why }) => `${entry} was not sent. ${why}`),
      );
      if (args.has("json")) terminal.out(`${visibleJson({ added, there, kept })}\n`);
      terminal.err(
        `${plural(added.length, "recording")} added to ${transfer.store.name}; ${there} were there${kept.length > 0 ? `, ${kept.length} not sent` : ""}.\n`,
      );
      return kept.length > 0 ? EXIT.failed : EXIT.ok;
    } finally {
      await deck.close();
      await transfer.close();
    }
  },
};
