import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { openDeck } from "../../src/deck/deck.ts";
import { casesOf } from "../support/cases.ts";
import { aFolder } from "../support/a-folder.ts";
import { aRecording, bytes } from "../support/a-recording.ts";

const EDITS = casesOf({ quick: 10, long: 150 });

it("an edit by hand counts at the very next call, with the server under load from another process", async () => {
  const dir = join(aFolder(), ".tapedeck");
  const deck = openDeck({ dir });
  onTestFinished(() => deck.close());
  const recordings = Array.from({ length: 90 }, (_, index) =>
    aRecording({ question: `question ${index}`, reply: { body: bytes('{"text":"first."}') } }),
  );
  const saved = await Promise.all(recordings.map((recording) => deck.store.save(recording)));
  const server = await deck.listen();
  const { url } = server.admit(deck.createRun("strict"));
  const calls = recordings.map(({ request }, index) => ({
    path: `/openai${request.path}`,
    body: Buffer.from(request.body ?? []).toString("utf8"),
    file: join(dir, saved[index]?.entry ?? ""),
  }));
  const orders = join(aFolder(), "orders.json");
  writeFileSync(orders, JSON.stringify({ url, calls, edits: EDITS }));

  const script = join(import.meta.dirname, "../support/hand-editor.mjs");
  const { stdout } = await promisify(execFile)(process.execPath, [script, orders]);

  const outcome = JSON.parse(stdout) as { edits: number; stale: number; answered: number };
  console.log(
    `▸ ${EDITS} edits by hand under ${outcome.answered} other calls: ${outcome.stale} stale replies`,
  );
  expect(outcome).toMatchObject({ edits: EDITS, stale: 0 });
});
