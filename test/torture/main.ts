// What scripts/torture.mjs bundles and runs: `describe`, or `run NAME SEED CASES`. Says JSON on standard output.
import { tortures } from "./all.ts";

const [command, name, seed, cases] = process.argv.slice(2);

if (command === "describe") {
  console.log(JSON.stringify(tortures));
} else {
  const torture = tortures.find((one) => one.name === name);
  if (torture === undefined) throw new Error(`No torture is called "${name}".`);
  const suffered = await torture.run({ seed: Number(seed), cases: Number(cases) });
  console.log(JSON.stringify(suffered));
}
