import { DIR_HELP, openFolder } from "../options/read-options.ts";
import { EXIT, type Command } from "../command.ts";
import { setUpAttributes, setUpDriver } from "../git/set-up.ts";

/** Sets git up for recordings in this folder. */
export const gitSetup: Command = {
  name: "git setup",
  summary: "Write .gitattributes so that git keeps recordings byte for byte and folds them in reviews.",
  synopsis: "git setup [--dir D] [--driver]",
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
