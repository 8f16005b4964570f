import { countText, plural } from "../../core/plural.ts";
import { visibleJson } from "../../core/view/visible.ts";
import { readDir } from "../options/dir.ts";
import { needRemote, REMOTE_HELP } from "../options/remote-options.ts";
import { DIR_ONLY_HELP } from "../options/serve-options.ts";
import { EXIT, type Arguments, type Command } from "../command.ts";
import type { Terminal } from "../terminal.ts";

export const teamStatus: Command = {
  name: "team status",
  summary: "Show whether the team cache can be read and written, and what it has.",
  synopsis: "team status [--remote ADDRESS] [--dir D] [--json]",
  options: [...REMOTE_HELP.slice(0, 3), DIR_ONLY_HELP, ["--json", "as JSON"]],
  unlisted: REMOTE_HELP,
  execute: printStatus,
};

export const teamKey: Command = {
  name: "team key",
  summary: "Make a key for a team cache.",
  synopsis: "team key [--pair]",
  options: [["--pair", "a private half for those who write and a public one for those who only read"]],
  execute: printKey,
};

async function printKey(args: Arguments, terminal: Terminal): Promise<number> {
  const { newKeyPair, newSharedKey } = await import("../../team/team.ts");
  if (args.has("pair")) {
    const { privateKey, publicKey } = newKeyPair();
    terminal.out(`${privateKey}\n${publicKey}\n`);
    terminal.err(
      "The first is for who writes, the second for everybody who reads. Both are values of TAPEDECK_REMOTE_KEY.\n",
    );
  } else {
    terminal.out(`${newSharedKey()}\n`);
    terminal.err(
      "It is the value of TAPEDECK_REMOTE_KEY for everybody in the team. Keep it where secrets are kept.\n",
    );
  }
  return EXIT.ok;
}

async function printStatus(args: Arguments, terminal: Terminal): Promise<number> {
  const settings = await needRemote(args, terminal);
  const { dir } = readDir(args, terminal);
  const { openTransfer, statusOf } = await import("../../team/team.ts");
  const transfer = await openTransfer(dir, settings);
  try {
    const status = await statusOf(transfer);
    if (args.has("json")) terminal.out(`${visibleJson(status)}\n`);
    else {
      const { cache, scope, writes, why, notes, there, brought } = status;
      const access = writes
        ? "read and written"
        : `read${settings.writes ? `, not written${why === undefined ? "" : `: ${why}`}` : ""}`;
      const lines = [
        `${cache} can be ${access}`,
        `scope ${scope}: ${plural(there, "recording")} there, ${countText(brought)} of them were brought here`,
        ...notes,
      ];
      terminal.out(`${lines.join("\n")}\n`);
    }
    return settings.writes && !status.writes ? EXIT.failed : EXIT.ok;
  } finally {
    await transfer.close();
  }
}
