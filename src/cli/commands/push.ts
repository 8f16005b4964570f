import { countText, plural } from "../../core/plural.ts";
import { visibleJson } from "../../core/view/visible.ts";
import { openDeck } from "../../deck/deck.ts";
import { inspectFolder, readDir } from "../options/dir.ts";
import { CACHE_HELP, needRemote, UNLISTED_REMOTE_HELP } from "../options/remote-options.ts";
import { DIR_ONLY_HELP } from "../options/serve-options.ts";
import { EXIT, type Command } from "../command.ts";
import { tellSome } from "../terminal.ts";

export const teamPush: Command = {
  name: "team push",
  summary: "Upload the recordings of this project, with their prompts and answers, to the team cache.",
  synopsis: "team push [--remote ADDRESS] [--dir D] [--json]",
  options: [CACHE_HELP, DIR_ONLY_HELP, ["--json", "what was uploaded and what was not, as JSON"]],
  unlisted: UNLISTED_REMOTE_HELP,
  async execute(args, terminal) {
    const settings = await needRemote(args, terminal);
    const { dir } = readDir(args, terminal);
    await inspectFolder(dir, { writes: false });
    const { openTransfer, push } = await import("../../team/team.ts");
    const transfer = await openTransfer(dir, settings);
    const deck = openDeck({ dir, env: terminal.env });
    try {
      const { added, there, newer, kept } = await push(transfer, (recording) => deck.admit(recording));
      tellSome(terminal, [
        ...kept.map(({ entry, why }) => `${entry} was not uploaded. ${why}`),
        ...newer.map((entry) => `${entry} was not uploaded, because the cache has a newer one of this call.`),
      ]);
      if (args.has("json")) terminal.out(`${visibleJson({ added, there, newer, kept })}\n`);
      const notSent = kept.length > 0 ? `, ${countText(kept.length)} not uploaded` : "";
      const left = newer.length > 0 ? `, ${countText(newer.length)} newer there` : "";
      terminal.err(
        `${plural(added.length, "recording")} uploaded to ${settings.address.name}; ${there} ${there === 1 ? "was" : "were"} there${left}${notSent}.\n`,
      );
      return kept.length > 0 ? EXIT.failed : EXIT.ok;
    } finally {
      await deck.close();
      await transfer.close();
    }
  },
};
