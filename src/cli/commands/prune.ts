import { localize, joinSentences } from "../../core/base/localize.ts";
import { createTapedeckError } from "../../core/base/errors.ts";
import { formatCount, localizeCount } from "../../core/base/plural.ts";
import type { CheckFinding } from "../../storage/check/findings.ts";
import { findUnused, judgeRecording } from "../../storage/check/unused-recordings.ts";
import { createTestFinder } from "../../storage/check/test-presence.ts";
import { readUsage } from "../../storage/local/usage-file.ts";
import type { JudgedRecording } from "../../core/view/usage/unused.ts";
import { isUsageKnown } from "../../core/view/usage/usage.ts";
import { removeBlobs, findUnusedBlobs } from "../../storage/check/unused-blobs.ts";
import { AGE_HELP, readAge } from "../options/arguments.ts";
import { EXIT, type Command } from "../command.ts";
import { printMessage } from "../terminal.ts";
import { getDirHelp, openFolder, findRoots } from "../options/read-options.ts";

/** Removes the recordings that are no longer asked for, and the blobs that no recording names. */
export const prune: Command = {
  name: "prune",
  summary: localize("Delete unused recordings."),
  synopsis: "prune [--dir D] [--older-than AGE] [--dry-run]",
  options: [
    getDirHelp(),
    [AGE_HELP, localize("only recordings that were neither used nor recorded for this long, e.g. 90d")],
    ["--dry-run", localize("show what would be deleted")],
  ],
  async execute(args, terminal) {
    const age = readAge(args);
    const { deck, dir, shownDir } = await openFolder(args, terminal);
    const { usage, broken } = await readUsage(dir);
    if (broken !== undefined) printMessage(terminal, "warning", broken);
    if (!isUsageKnown(usage)) throw usageUnknown(shownDir);
    const addresses = await deck.store.list();
    const judged: JudgedRecording[] = [];
    for await (const found of deck.readFacts(addresses)) {
      const one = judgeRecording(found);
      if (one !== undefined) judged.push(one);
    }
    const known = await findUnused(usage, judged, createTestFinder(findRoots(dir, terminal)));
    const before = age === undefined ? Infinity : terminal.now() - age;
    const unused = known.findings.filter(({ entry }) => (known.lastSeen.get(entry) ?? Infinity) < before);
    const without = new Set(unused.map(({ entry }) => entry));
    const blobs = await findUnusedBlobs(dir, { without, now: terminal.now() });
    const isDry = args.has("dry-run");
    for (const { entry, message } of unused) {
      if (!isDry) await deck.store.remove(entry);
      terminal.out(`${entry}  ${message}\n`);
    }
    if (!isDry) await removeBlobs(dir, blobs);
    for (const path of blobs) terminal.out(localize("{0}  No recording refers to it.\n", path));
    await deck.close();
    terminal.err(`${summary(addresses.length, { unused, blobs, shownDir, isDry })}\n`);
    return EXIT.ok;
  },
};

interface PruneResult {
  readonly unused: readonly CheckFinding[];
  readonly blobs: readonly string[];
  readonly shownDir: string;
  readonly isDry: boolean;
}

function summary(recordings: number, { unused, blobs, shownDir, isDry }: PruneResult): string {
  const counts = [formatCount(unused.length), formatCount(recordings), shownDir] as const;
  const text = isDry
    ? localize("{0} of {1} recordings in {2} would be deleted.", ...counts)
    : localize("{0} of {1} recordings in {2} deleted.", ...counts);
  if (blobs.length === 0) return text;
  return joinSentences(
    text,
    isDry
      ? localizeCount(blobs.length, "{0} unused blob would be deleted.", "{0} unused blobs would be deleted.")
      : localizeCount(blobs.length, "{0} unused blob deleted.", "{0} unused blobs deleted."),
  );
}

function usageUnknown(shownDir: string): Error {
  return createTapedeckError(
    "tapedeck_cassette",
    localize("Tapedeck does not know yet which recordings in {0} are used. Nothing was deleted.", shownDir),
    {
      hint: localize("Run all tests once without a miss, then prune: tapedeck run -- <your test command>."),
    },
  );
}
