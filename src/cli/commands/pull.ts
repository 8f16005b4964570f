import { countText, plural } from "../../core/plural.ts";
import { visibleJson } from "../../core/view/visible.ts";
import { openDeck } from "../../deck/deck.ts";
import { readDir } from "../options/dir.ts";
import { CACHE_HELP, needRemote, UNLISTED_REMOTE_HELP } from "../options/remote-options.ts";
import { DIR_ONLY_HELP } from "../options/serve-options.ts";
import { EXIT, type Command } from "../command.ts";
import { tellSome } from "../terminal.ts";

export const teamPull: Command = {
  name: "team pull",
  summary: "Download recordings from the team cache that this project does not have yet.",
  synopsis: "team pull [--remote ADDRESS] [--dir D] [--json]",
  options: [CACHE_HELP, DIR_ONLY_HELP, ["--json", "the downloaded recordings, as JSON"]],
  unlisted: UNLISTED_REMOTE_HELP,
  async execute(args, terminal) {
    const settings = await needRemote(args, terminal);
    const { dir } = readDir(args, terminal);
    const { openTransfer, pull } = await import("../../team/team.ts");
    const transfer = await openTransfer(dir, settings);
    const deck = openDeck({ dir, env: terminal.env });
    try {
      await deck.project.reload();
      const { brought, here, refused } = await pull(transfer, deck.project.current.normaliser);
      tellSome(terminal, refused);
      if (args.has("json")) terminal.out(`${visibleJson({ brought, here, refused })}\n`);
      terminal.err(
        `${plural(brought.length, "recording")} downloaded from ${settings.address.name}; ${plural(here, "call")} ${here === 1 ? "was" : "were"} here${refused.length > 0 ? `, ${countText(refused.length)} not used` : ""}.\n`,
      );
    } finally {
      await deck.close();
      await transfer.close();
    }
    return EXIT.ok;
  },
};
