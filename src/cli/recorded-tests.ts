import type { TestRef } from "../core/call.ts";
import { tapedeckError, type TapedeckError } from "../core/errors.ts";
import { recordingsByTest, type TestRecordings } from "../core/usage/test-recordings.ts";
import type { JudgedRecording } from "../core/usage/unused.ts";
import { instantOf } from "../core/view/age.ts";
import { testTitle } from "../core/view/names.ts";
import type { Deck } from "../deck/deck.ts";
import { readAll } from "../storage/check/read-all.ts";
import { readUsage } from "../storage/local/usage-file.ts";
import { namesText } from "./command.ts";
import { tell, type Terminal } from "./terminal.ts";

export async function recordedTests(
  { dir, store }: Pick<Deck, "dir" | "store">,
  terminal: Terminal,
): Promise<readonly TestRecordings[]> {
  const { usage, broken } = await readUsage(dir);
  if (broken !== undefined) tell(terminal, "warning", broken);
  const recordings: JudgedRecording[] = [];
  for await (const { address, recording } of readAll(store)) {
    const test = recording?.test;
    const recordedAt = (recording && instantOf(recording.recordedAt)) ?? 0;
    recordings.push({ address, recordedAt, test });
  }
  return recordingsByTest(usage, recordings);
}

/** A test as a person names it: "tests/chat.test.ts › chat › answers in one word"; of a script its file. */
function testName(test: Pick<TestRef, "file" | "name">): string {
  return [test.file, ...(test.name.length === 0 ? [] : [testTitle(test)])].join(" › ");
}

/**
 * The test that a person means: by file and titles, by titles alone, or by the last part of either.
 * @throws TapedeckError `tapedeck_cassette` where none or several fit; it names those.
 */
export function findTest(named: string, tests: readonly TestRecordings[]): TestRecordings {
  const wanted = onOneLine(named).replace(/^\.\//u, "");
  const exact = tests.find(({ test }) => onOneLine(testName(test)) === wanted);
  if (exact) return exact;
  const fitting = tests.filter(({ test }) => {
    const name = onOneLine(testName(test));
    return name.endsWith(` › ${wanted}`) || name.endsWith(`/${wanted}`) || name.startsWith(`${wanted} › `);
  });
  const [only, ...others] = fitting;
  if (only && others.length === 0) return only;
  throw only ? several(named, fitting) : unknown(named, tests);
}

const onOneLine = (text: string): string => text.replace(/\s+/gu, " ").trim();

const SHOWN = 5;

function several(named: string, fitting: readonly TestRecordings[]): TapedeckError {
  const names = fitting.map(({ test }) => `"${testName(test)}"`);
  return tapedeckError("tapedeck_cassette", `"${named}" fits several tests: ${namesText(names, SHOWN)}.`, {
    hint: 'Name one as "file › title".',
  });
}

function unknown(named: string, tests: readonly TestRecordings[]): TapedeckError {
  const message = `No test with recordings is called "${named}".`;
  const [example] = tests;
  return tapedeckError("tapedeck_cassette", message, {
    hint: example
      ? `See: tapedeck list --tests. A test is named as "file › title", e.g. "${testName(example.test)}".`
      : "Nothing here is recorded by a test.",
  });
}
