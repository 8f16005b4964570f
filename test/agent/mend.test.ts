import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { encode } from "gpt-tokenizer";
import { expect, it } from "vitest";
import { anUpstream } from "../cli/an-upstream.ts";
import { aProject, tapedeck } from "../cli/tapedeck.ts";
import { casesOf } from "../support/cases.ts";
import { anAgent, type AnAgent } from "./an-agent.ts";
import { PLANTED, PROJECT, type PlantedMiss } from "./planted-misses.ts";

const MISSES = PLANTED.slice(0, casesOf({ quick: 2, long: PLANTED.length }));

const requestsOf = (side: "recorded" | "sent"): string =>
  JSON.stringify(
    Object.fromEntries(MISSES.map((one) => [one.name, (side === "sent" && one.sent) || one.recorded])),
  );

/** Creates a project whose recordings no longer answer its tests. */
async function plantedProject() {
  const upstream = await anUpstream();
  const cwd = aProject({ ...PROJECT, "requests.json": requestsOf("recorded") });
  const command = ["--", process.execPath, "--test", "calls.test.mjs"];
  const { code, stderr } = await tapedeck(
    ["run", "--mode", "record", "--update", ...upstream.options, ...command],
    { cwd },
  );
  expect(stderr).not.toContain("error");
  expect(code).toBe(0);
  writeFileSync(join(cwd, "requests.json"), requestsOf("sent"));
  for (const { damages } of MISSES) if (damages) damage(join(cwd, ".tapedeck", "calls"), damages);
  return { cwd, upstream };
}

function damage(folder: string, { word, by }: NonNullable<PlantedMiss["damages"]>): void {
  for (const entry of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const path = join(folder, entry);
    const text = entry.endsWith(".json") ? readFileSync(path, "utf8") : "";
    if (!text.includes(word) || (by === "deletion of the first take" && /\.\d+\.json$/.test(entry))) continue;
    if (by !== "truncation") rmSync(path);
    else writeFileSync(path, text.slice(0, text.length / 2));
  }
}

interface Mended {
  readonly name: string;
  readonly passes: boolean;
  readonly calls: number;
  readonly repair: string;
  readonly explained: string;
}

/** An agent without a model: it runs the test, follows the suggestion of the explanation, and runs the test again. */
async function mend({ name, isWritten }: PlantedMiss, agent: AnAgent): Promise<Mended> {
  let calls = 0;
  const use = async (tool: string, input: object): Promise<string> => {
    calls += 1;
    const { text, isError } = await agent.use(tool, input);
    expect([name, tool, isError ? text : ""]).toEqual([name, tool, ""]);
    return text;
  };
  const named = { file: "calls.test.mjs", test: ["chat", name] };
  const first = await use("tapedeck_run_test", named);
  const miss = /^miss ([0-9a-f]{8})/m.exec(first)?.[1];
  expect([name, miss === undefined ? first : ""]).toEqual([name, ""]);
  const explained = await use("tapedeck_explain_miss", { miss });
  const [, suggested = "", input = "{}"] = /^next: (tapedeck_\w+) (\{[^}]*\})/m.exec(explained) ?? [];
  const repair = isWritten ? "tapedeck_write_reply" : suggested;
  await use(repair, { ...(JSON.parse(input) as object), ...(isWritten && { text: "Shwmae!" }) });
  const last = await use("tapedeck_run_test", named);
  return {
    name,
    passes: last.startsWith("The test passed") && !/\d miss/.test(last),
    calls,
    repair,
    explained,
  };
}

it("a scripted agent repairs every planted miss in at most 4 tool calls, and explanations stay below 400 tokens", async () => {
  const { cwd, upstream } = await plantedProject();
  const agent = await anAgent({ cwd, options: upstream.options, agrees: () => true });
  const mended: Mended[] = [];

  for (const one of MISSES) mended.push(await mend(one, agent));

  const tokens = mended.map(({ explained }) => encode(explained).length).sort((a, b) => a - b);
  const median = tokens[Math.floor(tokens.length / 2)] ?? 0;
  console.log(
    `▸ ${mended.filter(({ passes }) => passes).length} of ${mended.length} misses repaired; explanations of ${median} tokens at the median, ${tokens.at(-1)} at most`,
  );
  expect(mended.filter(({ passes, calls }) => !passes || calls > 4)).toEqual([]);
  expect(mended.slice(0, 5).map(({ repair }) => repair)).toEqual(
    [
      "tapedeck_record",
      "tapedeck_add_rule",
      "tapedeck_record",
      "tapedeck_record",
      "tapedeck_write_reply",
    ].slice(0, MISSES.length),
  );
  expect(median).toBeLessThan(400);
  expect(agent.questions).toHaveLength(MISSES.length);
});
