import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { encode } from "gpt-tokenizer";
import { expect, it } from "vitest";
import type { OpenMiss } from "../../src/agent/agent-project.ts";
import { aProject, tapedeck } from "../cli/tapedeck.ts";
import { casesOf } from "../support/cases.ts";
import { anAgent, type AnAgent } from "./an-agent.ts";
import { anUpstreamOfAll } from "./an-upstream-of-all.ts";
import { PLANTED, TEST_FILE, type PlantedMiss } from "./planted-misses.ts";

const requestsOf = (misses: readonly PlantedMiss[], side: "recorded" | "sent"): string =>
  JSON.stringify(
    Object.fromEntries(misses.map((one) => [one.name, (side === "sent" && one.sent) || one.recorded])),
  );

/** Creates a project whose recordings no longer answer its tests. */
async function plantedProject(misses: readonly PlantedMiss[], origins: "on" | "off") {
  const upstream = await anUpstreamOfAll();
  const cwd = aProject({
    // With origins, the ids and times of this machine never miss.
    ...(origins === "off" && { "tapedeck.jsonc": '{ "origins": "off" }' }),
    "calls.test.mjs": TEST_FILE,
    "requests.json": requestsOf(misses, "recorded"),
  });
  const command = ["--", process.execPath, "--test", "calls.test.mjs"];
  const { code, stderr } = await tapedeck(
    ["run", "--mode", "record", "--update", ...upstream.options, ...command],
    { cwd },
  );
  expect(stderr).not.toContain("error");
  expect(code).toBe(0);
  writeFileSync(join(cwd, "requests.json"), requestsOf(misses, "sent"));
  for (const { damages } of misses) if (damages) damage(join(cwd, ".tapedeck", "calls"), damages);
  return { cwd, upstream };
}

function damage(folder: string, { word, by }: NonNullable<PlantedMiss["damages"]>): void {
  for (const entry of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const path = join(folder, entry);
    const text = entry.endsWith(".json") ? readFileSync(path, "utf8") : "";
    const isLater = /\.\d+\.json$/.test(entry);
    if (
      !text.includes(word) ||
      (by.endsWith("first take") && isLater) ||
      (by.endsWith("last take") && !isLater)
    )
      continue;
    if (by.startsWith("truncation")) writeFileSync(path, text.slice(0, text.length / 2));
    else rmSync(path);
  }
}

interface Mended {
  readonly name: string;
  readonly passes: boolean;
  readonly calls: number;
  readonly repair: string;
  readonly explained: string;
  readonly last: string;
}

/** An agent without a model: it runs the test, follows the suggestion of the explanation, and runs the test again. */
async function mend({ name, repair: wanted }: PlantedMiss, agent: AnAgent): Promise<Mended> {
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
  const isWritten = wanted === "tapedeck_write_reply";
  const repair = isWritten ? wanted : suggested;
  await use(repair, { ...(JSON.parse(input) as object), ...(isWritten && { text: "Shwmae!" }) });
  const last = await use("tapedeck_run_test", named);
  return {
    name,
    passes: last.startsWith("The test passed") && !/\d miss/.test(last),
    calls,
    repair,
    explained,
    last,
  };
}

it("a scripted agent repairs every planted miss in at most 4 tool calls, and explanations stay below 400 tokens", async () => {
  const mended: Mended[] = [];
  // `hostile-input.test.ts` records a test by the tool.
  const isQuick = ({ name }: PlantedMiss): boolean => name === "an id in the prompt";
  const planted = casesOf({ quick: PLANTED.filter(isQuick), long: PLANTED });
  for (const origins of ["off", "on"] as const) {
    const misses = planted.filter((one) => (one.origins === true) === (origins === "on"));
    if (misses.length === 0) continue;
    const { cwd, upstream } = await plantedProject(misses, origins);
    const agent = await anAgent({ cwd, options: upstream.options, agrees: () => true });
    for (const one of misses) mended.push(await mend(one, agent));
    expect(agent.questions).toHaveLength(misses.length);
  }

  const tokens = mended.map(({ explained }) => encode(explained).length).sort((a, b) => a - b);
  const median = tokens[Math.floor(tokens.length / 2)] ?? 0;
  console.log(
    `▸ ${mended.filter(({ passes }) => passes).length} of ${mended.length} misses repaired; explanations of ${median} tokens at the median, ${tokens.at(-1)} at most`,
  );
  expect(mended.filter(({ passes, calls }) => !passes || calls > 4)).toEqual([]);
  expect(mended.map(({ name, repair }) => [name, repair])).toEqual(
    mended.map(({ name }) => [name, planted.find((one) => one.name === name)?.repair ?? "tapedeck_record"]),
  );
  expect(median).toBeLessThan(400);
});

it("the explanation of a damaged call without a test is in sentences, and suggests no tool", async () => {
  const broken = "The file is damaged.";
  const key = `sha256:${"ab".repeat(32)}`;
  const miss = {
    key,
    provider: "openai",
    operation: "chat.completions",
    label: "Hi",
    at: 0,
    count: 1,
    broken,
  };
  const agent = await anAgent({
    cwd: aProject({}),
    around: (project) => ({ ...project, missing: async () => [miss as OpenMiss] }),
  });

  const { text } = await agent.use("tapedeck_explain_miss", { miss: "abababab" });

  expect(text).toContain(
    "next: No test makes this call, so no tool can record it. Ask the user to run the program with --mode record.\n",
  );
});
