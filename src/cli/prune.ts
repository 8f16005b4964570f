import { tapedeckError } from "../core/errors.ts";
import { expectNoPositionals, readArguments } from "./arguments.ts";
import { EXIT, type Command } from "./command.ts";
import { inspect } from "./inspect.ts";
import { DIR_HELP, openFolder } from "./read-options.ts";

/** Removes the recordings that are no longer asked for. */
export const prune: Command = {
  name: "prune",
  summary: "Remove the recordings that are no longer asked for.",
  synopsis: "prune [--dir D] [--dry-run]",
  options: [DIR_HELP, ["--dry-run", "only say which"]],
  async execute(argv, terminal) {
    const args = readArguments("prune", argv, { dir: "value", "dry-run": "flag" });
    expectNoPositionals(args);
    const { deck, shownDir } = await openFolder(args, terminal);
    const { findings, recordings, isUsageKnown } = await inspect(deck, terminal.cwd);
    if (!isUsageKnown) throw usageUnknown(shownDir);
    const unused = findings.filter(({ rule }) => rule === "unused");
    for (const { entry, message } of unused) {
      if (!args.has("dry-run")) await deck.store.remove(entry);
      terminal.out(`${entry}  ${message}\n`);
    }
    await deck.close();
    const done = args.has("dry-run") ? "would be removed" : "removed";
    terminal.err(`${unused.length} of ${recordings} recordings in ${shownDir} ${done}.\n`);
    return EXIT.ok;
  },
};

function usageUnknown(shownDir: string): Error {
  return tapedeckError("tapedeck_cassette", `Which recordings in ${shownDir} are used is not known.`, {
    hint: "Run all tests once without a miss and prune then: tapedeck run -- <your test command>. Nothing was removed.",
  });
}
