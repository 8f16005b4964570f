import { countText, plural } from "../../core/plural.ts";
import { visibleJson } from "../../core/view/visible.ts";
import { readDir } from "../options/dir.ts";
import { needRemote, REMOTE_HELP } from "../options/remote-options.ts";
import { DIR_ONLY_HELP } from "../options/serve-options.ts";
import { EXIT, type Command } from "../command.ts";
import { tellSome } from "../terminal.ts";

export const teamPull: Command = {
  name: "team pull",
  summary: "Download recordings from the team cache that this project does not have yet.",
  synopsis: "team pull [--remote ADDRESS] [--dir D] [--json]",
  options: [
    ...REMOTE_HELP.slice(0, 1),
    REMOTE_HELP[2] ?? ["", ""],
    DIR_ONLY_HELP,
    ["--json", "what came, as JSON"],
  ],
  unlisted: REMOTE_HELP,
  async execute(args, terminal) {
    const settings = await needRemote(args, terminal, { writes: false });
    const { dir } = readDir(args, terminal);
    const { openTransfer, pull } = await import("../../team/team.ts");
    const transfer = await openTransfer(dir, settings);
    try {
      const { brought, here, refused } = await pull(transfer);
      tellSome(terminal, refused);
      if (args.has("json")) terminal.out(`${visibleJson({ brought, here, refused })}\n`);
      terminal.err(
        `${plural(brought.length, "recording")} brought from ${transfer.store.name}; ${here} were here${refused.length > 0 ? `, ${countText(refused.length)} not used` : ""}.\n`,
      );
    } finally {
      await transfer.close();
    }
    return EXIT.ok;
  },
};
