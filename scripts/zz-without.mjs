import { readProtections } from "/work/wt/tests/scripts/checks/protections.mjs";
import { testsWithout } from "/work/wt/tests/scripts/checks/without-tests.mjs";
const MAP = {
  "mutated requests to the server": [
    "test/server/server.test.ts",
    "test/server/pages.test.ts",
    "test/server/under-attack.test.ts",
    "test/server/who-stays.test.ts",
    "test/server/on-the-wire.test.ts",
  ],
  "broken answers of a provider": ["test/server/upstream/connect.test.ts", "test/core/answer/source"],
  "runs that want to spend too much": ["test/core/answer/budget", "test/cli/budget.test.ts"],
  "edits by hand while recordings are made, or made anew": ["test/deck/edited-meanwhile.test.ts"],
  "processes that record into one folder": ["test/storage/folder", "test/deck/edited-meanwhile.test.ts"],
};
for (const p of readProtections().filter(({ torture }) => torture in MAP)) {
  const { torture, ...rest } = p;
  const begun = Date.now();
  const r = await testsWithout({ ...rest, tests: MAP[torture] });
  console.log(
    r.failures.length > 0 ? "✔" : "✘",
    torture,
    "|",
    p.what,
    "|",
    r.failures.length,
    r.failures.slice(0, 3).join(" ;; "),
    r.note ?? "",
    Math.round((Date.now() - begun) / 1000) + "s",
  );
}
