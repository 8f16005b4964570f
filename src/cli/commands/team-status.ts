import { plural } from "../../core/plural.ts";
import { visibleJson } from "../../core/view/visible.ts";
import { readDir } from "../options/dir.ts";
import { CACHE_HELP, needRemote, UNLISTED_REMOTE_HELP } from "../options/remote-options.ts";
import { DIR_ONLY_HELP } from "../options/serve-options.ts";
import { EXIT, type Command } from "../command.ts";

export const teamStatus: Command = {
  name: "team status",
  summary: "Show whether the team cache can be read, and what it has.",
  synopsis: "team status [--remote ADDRESS] [--dir D] [--json]",
  options: [CACHE_HELP, DIR_ONLY_HELP, ["--json", "as JSON"]],
  unlisted: UNLISTED_REMOTE_HELP,
  async execute(args, terminal) {
    const settings = await needRemote(args, terminal);
    const { dir } = readDir(args, terminal);
    const { openTransfer, statusOf } = await import("../../team/team.ts");
    const transfer = await openTransfer(dir, settings);
    try {
      const status = await statusOf(transfer);
      const { cache, writes, there, brought } = status;
      const access = writes
        ? "and, with your private key, written"
        : "and not written: there is no private key";
      if (args.has("json")) terminal.out(`${visibleJson(status)}\n`);
      else
        terminal.out(
          `${cache} can be read ${access}\n${plural(there, "call")} there, ${plural(brought, "recording")} downloaded\n`,
        );
      return EXIT.ok;
    } finally {
      await transfer.close();
    }
  },
};

export const teamKey: Command = {
  name: "team key",
  summary: "Make a pair of keys for a team cache.",
  synopsis: "team key",
  options: [],
  async execute(_args, terminal) {
    const { newKeyPair } = await import("../../team/team.ts");
    const { privateKey, publicKey } = newKeyPair();
    terminal.out(`${privateKey}\n${publicKey}\n`);
    terminal.err(
      "TAPEDECK_REMOTE_KEY is the first for those who upload recordings, a secret; the second, which is none, for those who only read.\n",
    );
    return EXIT.ok;
  },
};
