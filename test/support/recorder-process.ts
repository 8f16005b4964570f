// Runs as a separate process: records calls, some in parallel, and prints the calls that are safe on disk.
import { writeSync } from "node:fs";
import { createFolderStore } from "../../src/storage/folder/folder-store.ts";
import { aRecording, bytes, sha256 } from "./a-recording.ts";

const [dir = "", name = "", count = "1"] = process.argv.slice(2);
const store = createFolderStore(dir);

const AT_ONCE = 8;
let next = 0;

async function record(index: number): Promise<void> {
  // Every other call is one that all processes make; sizes go from nothing to a few hundred kilobytes.
  const question = index % 2 === 0 ? `shared ${index % 10}` : `${name} ${index}`;
  const text = `${name} ${index} `.repeat(4 ** (index % 8));
  const body = bytes(JSON.stringify({ text }));
  const { entry } = await store.save(aRecording({ question, reply: { body } }));
  writeSync(1, `${JSON.stringify({ entry, sha256: sha256(body) })}\n`);
}

async function recordInTurn(): Promise<void> {
  while (next < Number(count)) await record(next++);
}

await Promise.all(Array.from({ length: AT_ONCE }, recordInTurn));
