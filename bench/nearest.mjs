// Misses among 10,000 recordings: the CPU time of a process's first one, and of later ones.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { openDeck } from "../dist/esm/index.js";
import { readingTime } from "./check.mjs";
import { manyRequest, writeMany } from "./many-recordings.mjs";

const COUNT = 10_000;
const MISSES = 60;
/** Changes that turn a recorded call into a miss. */
const CHANGES = [
  (body) => ({ ...body, temperature: 0.7 }),
  (body) => ({ ...body, model: "gpt-5" }),
  ({ messages, ...body }) => ({ ...body, messages: [...messages, { role: "user", content: "And then?" }] }),
  ({ messages: [system, ...turns], ...body }) => ({
    ...body,
    messages: [{ ...system, content: `${system.content} Be brief.` }, ...turns],
  }),
];

/** Returns rows for the table, for at most `most` recordings. Writes its recordings into `home` and removes them. */
export async function nearestRows(home, most) {
  const count = Math.min(COUNT, most);
  const dir = join(home, "many", ".tapedeck");
  writeMany(dir, count);
  const base = readingTime(dir);
  const { first, later } = await measureMisses(dir);
  rmSync(join(home, "many"), { recursive: true, force: true });
  return [
    [
      `first miss among ${count}, CPU, times reading and parsing them (and s)`,
      `${(first / base).toFixed(1)} (${(first / 1000).toFixed(2)})`,
      "at most 0.5 s",
    ],
    [
      `later misses among ${count}, ms of CPU (median / slowest of ${MISSES})`,
      `${later[MISSES >> 1].toFixed(0)} / ${later[MISSES - 1].toFixed(0)}`,
      "median at most 8",
    ],
  ];
}

async function measureMisses(dir) {
  const deck = openDeck({ dir });
  const run = deck.createRun("strict");
  const miss = async (body) => {
    const begun = process.cpuUsage();
    await deck.engine.answer({
      provider: "openai",
      method: "POST",
      path: "/v1/chat/completions",
      headers: [["content-type", "application/json"]],
      body: Buffer.from(JSON.stringify(body)),
      run,
      signal: new AbortController().signal,
    });
    const { user, system } = process.cpuUsage(begun);
    return (user + system) / 1000;
  };
  const first = await miss(CHANGES[0](manyRequest(5)));
  const later = [];
  for (let nth = 0; nth < MISSES; nth += 1)
    later.push(await miss(CHANGES[nth % CHANGES.length](manyRequest(77 + 1_613 * nth))));
  await deck.close();
  return { first, later: later.sort((a, b) => a - b) };
}
