import type { JudgedRecording } from "../../core/usage/unused.ts";
import { recordingsByTest, type TestRecordings } from "../../core/usage/test-recordings.ts";
import { ageInWords, instantOf } from "../../core/view/age.ts";
import { testTitle } from "../../core/view/names.ts";
import type { Deck } from "../../deck/deck.ts";
import { readAll } from "../../storage/check/read-all.ts";
import { readUsage } from "../../storage/local/usage-file.ts";
import { oneLine } from "../report/miss-text.ts";
import { warnOf } from "../options/read-options.ts";
import { paint, type Terminal } from "../terminal.ts";
import { plural } from "../../core/plural.ts";

/** Lists tests with the recordings that they use. */
export async function listTests(
  { dir, store }: Deck,
  { json, shownDir }: { readonly json: boolean; readonly shownDir: string },
  terminal: Terminal,
): Promise<void> {
  const { usage, broken } = await readUsage(dir);
  if (broken !== undefined) warnOf({ notice: broken }, terminal);
  const recordings: JudgedRecording[] = [];
  for await (const { address, recording } of readAll(store)) {
    const test = recording?.test;
    const recordedAt = (recording && instantOf(recording.recordedAt)) ?? 0;
    recordings.push({ address, recordedAt, ...(test && { test }) });
  }
  const tests = recordingsByTest(usage, recordings);
  if (json) terminal.out(`${JSON.stringify(tests.map(row), undefined, 2)}\n`);
  else for (const test of tests) terminal.out(`${line(test, terminal)}\n`);
  terminal.err(`${plural(tests.length, "test")} with recordings in ${shownDir}\n`);
}

function line({ test, uses, replayedAt }: TestRecordings, terminal: Terminal): string {
  const count = plural(uses.length, "recording");
  const when =
    replayedAt === undefined
      ? "never replayed here"
      : `last replayed ${ageInWords(replayedAt, terminal.now())}`;
  const about = paint(terminal.colour.out, "dim", `${count} · ${when}`);
  return `${oneLine(test.file)}  ${oneLine(testTitle(test))}  ${about}`;
}

function row({ test, uses, replayedAt }: TestRecordings): Readonly<Record<string, unknown>> {
  return {
    file: test.file,
    name: test.name,
    lastReplayed: replayedAt === undefined ? null : new Date(replayedAt).toISOString(),
    recordings: uses.map(({ entry, at }) => ({
      entry,
      lastUsed: at === undefined ? null : new Date(at).toISOString(),
    })),
  };
}
