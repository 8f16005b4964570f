import { DIR_HELP, openFolder } from "../options/read-options.ts";
import { EXIT, type Command } from "../command.ts";
import { setUpAttributes, setUpDriver } from "../git/set-up.ts";

/** Tells git what recordings are. */
export const gitSetup: Command = {
  name: "git-setup",
  summary: "Have git keep recordings byte for byte, fold them in reviews and never mix two of them.",
  synopsis: "git-setup [--dir D] [--driver]",
  options: [
    DIR_HELP,
    ["--driver", "also have this clone settle conflicts while it merges (git config; never committed)"],
  ],
  async execute(args, terminal) {
    const { deck, dir, shownDir } = await openFolder(args, terminal);
    await deck.close();
    await setUpAttributes({ dir, shownDir }, terminal);
    if (args.has("driver")) await setUpDriver(dir, terminal);
    return EXIT.ok;
  },
};
