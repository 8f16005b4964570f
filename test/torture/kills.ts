import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildRecorder, runRecorder, type Acknowledged } from "../support/a-recorder.ts";
import { damageOf } from "../support/damage.ts";
import { seeded } from "../support/seeded.ts";
import type { Torture } from "./torture.ts";
import { filesBelow } from "../support/files-below.ts";

/** Cycles before a folder is checked and a fresh one begun: tens of thousands of files would make each check slow. */
const CYCLES_PER_FOLDER = 100;

export const kills: Torture = {
  name: "kill -9 while recording",
  promise: "nothing acknowledged is lost, nothing is torn",
  quick: 3,
  short: 40,
  long: 10_000,
  async run({ seed, cases }) {
    const home = mkdtempSync(join(tmpdir(), "tapedeck-torture-"));
    const script = await buildRecorder(home);
    const random = seeded(seed);
    const failures: string[] = [];
    let recorded = 0;
    let cut = 0;
    for (let begun = 0; begun < cases; begun += CYCLES_PER_FOLDER) {
      const dir = join(home, `from-${begun}`);
      const acknowledged: Acknowledged[] = [];
      for (let cycle = begun; cycle < Math.min(begun + CYCLES_PER_FOLDER, cases); cycle += 1) {
        const [after, delayMs] = [1 + Math.floor(random() * 12), random() * 12];
        const killed = await runRecorder(
          script,
          { dir, name: `run ${cycle}`, count: 1_000 },
          (soFar, kill) => {
            if (soFar === after) setTimeout(kill, delayMs);
          },
        );
        if (killed.length >= 1_000) failures.push(`cycle ${cycle} ended before it was killed`);
        acknowledged.push(...killed);
      }
      recorded += acknowledged.length;
      cut += temporariesIn(dir).length;
      failures.push(...(await damageOf(dir, acknowledged)));
      rmSync(dir, { recursive: true });
    }
    rmSync(home, { recursive: true });
    return { cases, failures, note: `${recorded} acknowledged, ${cut} cut off before they had a name` };
  },
};

function temporariesIn(dir: string): readonly string[] {
  return filesBelow(dir).filter((file) => file.endsWith(".tmp"));
}
