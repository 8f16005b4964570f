import { tapedeckError } from "../../core/base/errors.ts";
import { countText } from "../../core/base/plural.ts";
import type { CheckFinding } from "../../storage/check/findings.ts";
import { findUnused, judgedFrom, type UnusedRecordings } from "../../storage/check/unused-recordings.ts";
import { createTestFinder } from "../../storage/check/test-presence.ts";
import type { JudgedRecording } from "../../core/view/usage/unused.ts";
import { removeBlobs, unusedBlobs } from "../../storage/check/unused-blobs.ts";
import { AGE_HELP, readAge } from "../options/arguments.ts";
import { EXIT, type Command } from "../command.ts";
import { tell } from "../terminal.ts";
import { DIR_HELP, openFolder, rootsOf } from "../options/read-options.ts";

/** Removes the recordings that are no longer asked for, and the blobs that no recording names. */
export const prune: Command = {
  name: "prune",
  summary: "Remove the recordings that are no longer asked for.",
  synopsis: "prune [--dir D] [--older-than AGE] [--dry-run]",
  options: [
    DIR_HELP,
    [AGE_HELP, "of these, only what was neither used nor recorded for so long, e.g. 90d"],
    ["--dry-run", "only say which"],
  ],
  async execute(args, terminal) {
    const age = readAge(args);
    const { deck, dir, shownDir } = await openFolder(args, terminal);
    const addresses = await deck.store.list();
    const judged: JudgedRecording[] = [];
    for await (const found of deck.readFacts(addresses)) {
      const one = judgedFrom(found);
      if (one !== undefined) judged.push(one);
    }
    const known = await findUnused(dir, judged, createTestFinder(rootsOf(dir, terminal)));
    if (known.notice !== undefined) tell(terminal, "warning", known.notice);
    if (!known.isUsageKnown) throw usageUnknown(shownDir);
    const unused = longUnused(known, age === undefined ? Infinity : terminal.now() - age);
    const without = new Set(unused.map(({ entry }) => entry));
    const blobs = await unusedBlobs(dir, { without, now: terminal.now() });
    const isDry = args.has("dry-run");
    for (const { entry, message } of unused) {
      if (!isDry) await deck.store.remove(entry);
      terminal.out(`${entry}  ${message}\n`);
    }
    if (!isDry) await removeBlobs(dir, blobs);
    for (const path of blobs) terminal.out(`${path}  No recording names it.\n`);
    await deck.close();
    terminal.err(`${summary(addresses.length, { unused, blobs, shownDir, isDry })}\n`);
    return EXIT.ok;
  },
};

function longUnused({ findings, lastSeen }: UnusedRecordings, before: number): readonly CheckFinding[] {
  return findings.filter(({ entry }) => (lastSeen.get(entry) ?? Infinity) < before);
}

interface Pruned {
  readonly unused: readonly CheckFinding[];
  readonly blobs: readonly string[];
  readonly shownDir: string;
  readonly isDry: boolean;
}

function summary(recordings: number, { unused, blobs, shownDir, isDry }: Pruned): string {
  const done = isDry ? "would be removed" : "removed";
  const files = blobs.length === 1 ? "1 unused blob" : `${blobs.length} unused blobs`;
  const more = blobs.length === 0 ? "" : ` and ${files}`;
  return `${countText(unused.length)} of ${countText(recordings)} recordings in ${shownDir}${more} ${done}.`;
}

function usageUnknown(shownDir: string): Error {
  return tapedeckError("tapedeck_cassette", `Which recordings in ${shownDir} are used is not known.`, {
    hint: "Run all tests once without a miss and prune then: tapedeck run -- <your test command>. Nothing was removed.",
  });
}
