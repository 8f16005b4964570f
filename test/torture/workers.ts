import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildRecorder, runRecorder } from "../support/a-recorder.ts";
import { damageOf } from "../support/damage.ts";
import type { Torture } from "./torture.ts";

const WORKERS = 4;
const CALLS_EACH = 50;

export const workers: Torture = {
  name: "processes that record into one folder",
  promise: "no recording is lost to another process",
  quick: 2 * CALLS_EACH,
  short: WORKERS * CALLS_EACH,
  long: 40_000,
  async run({ seed, cases }) {
    const home = mkdtempSync(join(tmpdir(), "tapedeck-torture-"));
    const script = await buildRecorder(home);
    const failures: string[] = [];
    const working = Math.min(WORKERS, Math.ceil(cases / CALLS_EACH));
    const rounds = Math.ceil(cases / (working * CALLS_EACH));
    let acknowledged = 0;
    for (let round = 0; round < rounds; round += 1) {
      const dir = join(home, `round-${round}`);
      const names = Array.from(
        { length: working },
        (_, worker) => `seed ${seed} round ${round} worker ${worker}`,
      );
      const runs = await Promise.all(
        names.map((name) => runRecorder(script, { dir, name, count: CALLS_EACH })),
      );
      const all = runs.flat();
      acknowledged += all.length;
      if (all.length !== working * CALLS_EACH)
        failures.push(`${all.length} calls were acknowledged in round ${round}`);
      failures.push(...(await damageOf(dir, all)));
      rmSync(dir, { recursive: true });
    }
    rmSync(home, { recursive: true });
    return { cases: acknowledged, failures };
  },
};
