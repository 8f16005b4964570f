import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { aStatefulServer } from "../support/a-stateful-provider.ts";
import { seeded } from "../support/seeded.ts";
import { finished, tapedeckProcess } from "./a-process.ts";
import { aProject, plainEnvironment } from "./tapedeck.ts";

const program = join(import.meta.dirname, "chain-program.mjs");

interface Step {
  readonly kind: string;
  readonly text: string;
  readonly uses: readonly number[];
}

interface Kind {
  readonly provider: "openai" | "anthropic" | "gemini";
  /** Number of calls. */
  readonly calls: number;
  /** Kinds of steps whose ids it needs, and those whose ids it may use. */
  readonly needs?: readonly string[];
  readonly may?: readonly string[];
}

/** Steps with ids of every kind: responses, conversations, files, uploads, batches, threads, sessions, caches, and others. */
const KINDS: Readonly<Record<string, Kind>> = {
  response: {
    provider: "openai",
    calls: 1,
    may: ["response", "conversation", "file", "upload", "batch", "store", "container"],
  },
  conversation: { provider: "openai", calls: 1 },
  file: { provider: "openai", calls: 1 },
  store: { provider: "openai", calls: 1, needs: ["file"] },
  container: { provider: "openai", calls: 1 },
  upload: { provider: "openai", calls: 3 },
  batch: { provider: "openai", calls: 5, needs: ["file"] },
  thread: { provider: "openai", calls: 1 },
  run: { provider: "openai", calls: 5, needs: ["thread"] },
  message: { provider: "anthropic", calls: 1, may: ["message"] },
  session: { provider: "anthropic", calls: 1 },
  event: { provider: "anthropic", calls: 2, needs: ["session"] },
  interaction: { provider: "gemini", calls: 1, may: ["interaction"] },
  cache: { provider: "gemini", calls: 1 },
  generate: { provider: "gemini", calls: 1, needs: ["cache"] },
};

const pickFrom = <T>(random: () => number, list: readonly T[]): T => {
  const [one] = list.slice(Math.floor(random() * list.length));
  if (one === undefined) throw new RangeError("The list is empty.");
  return one;
};

/** Makes a chain of 3 to 12 calls to two providers, with branches. Long jobs may end it with some calls more. */
function aChain(random: () => number): readonly Step[] {
  const others = pickFrom(random, ["anthropic", "gemini"] as const);
  const length = 3 + Math.floor(random() * 10);
  const steps: Step[] = [];
  const placesOf = (kind: string): readonly number[] =>
    steps.flatMap((step, at) => (step.kind === kind ? [at] : []));
  for (let calls = 0; calls < length;) {
    const possible = Object.entries(KINDS).filter(
      ([, { provider, needs = [] }]) =>
        (provider === "openai" || provider === others) && needs.every((kind) => placesOf(kind).length > 0),
    );
    // The second provider has fewer kinds of calls.
    const wanted = random() < 0.4 ? others : "openai";
    const [kind, { needs = [], may = [], calls: more }] = pickFrom(
      random,
      possible.filter(([, { provider }]) => provider === wanted),
    );
    const used = [...needs, ...may.filter(() => random() < 0.7)].flatMap((one) => {
      const places = placesOf(one);
      return places.length === 0 ? [] : [pickFrom(random, places)];
    });
    // A response continues either a response or a conversation.
    const before = used.find((at) => /^(?:response|conversation)$/.test(steps[at]?.kind ?? ""));
    const uses = used.filter(
      (at) => at === before || !/^(?:response|conversation)$/.test(steps[at]?.kind ?? ""),
    );
    steps.push({ kind, uses, text: `[question ${steps.length}]` });
    calls += more;
  }
  return steps;
}

interface Outcome {
  readonly code: number | null;
  /** The texts that the program printed, one for each step. */
  readonly texts: unknown;
  readonly stderr: string;
}

const readOutput = ({
  code,
  stdout,
  stderr,
}: {
  code: number | null;
  stdout: string;
  stderr: string;
}): Outcome => ({
  code,
  texts: stdout.trim() === "" ? undefined : (JSON.parse(stdout.replaceAll(PART_ID, "part_id")) as unknown),
  stderr,
});

/** The id of a part of an upload, which replies quote: each run of a provider gives out others. */
const PART_ID = /part_[\da-f]{20}/g;

async function runIn(
  cwd: string,
  steps: readonly Step[],
  args: readonly string[],
  provider?: { readonly origin: string },
): Promise<Outcome> {
  writeFileSync(join(cwd, "steps.json"), JSON.stringify(steps));
  const upstreams = ["openai", "anthropic", "gemini"].flatMap((name) => [
    "--upstream",
    `${name}=${provider?.origin ?? "http://127.0.0.1:9"}`,
  ]);
  const command = ["run", ...args, ...upstreams, "--", process.execPath, program, "steps.json"];
  return readOutput(await tapedeckProcess(command, { cwd, env: KEYS }));
}

/** The first of these chains is recorded from its root. */
const CHAIN_SEED = 46;

const KEYS = {
  OPENAI_API_KEY: "sk-test-0123456789",
  ANTHROPIC_API_KEY: "sk-ant-test-0123456789",
  GEMINI_API_KEY: "test-0123456789",
};

/** Runs a chain without Tapedeck, against a new provider. */
async function runDirectly(
  cwd: string,
  steps: readonly Step[],
): Promise<Outcome & { readonly requests: number }> {
  const provider = await aStatefulServer();
  writeFileSync(join(cwd, "steps.json"), JSON.stringify(steps));
  const env = {
    ...plainEnvironment(),
    ...KEYS,
    OPENAI_BASE_URL: `${provider.origin}/v1`,
    ANTHROPIC_BASE_URL: provider.origin,
    GOOGLE_GEMINI_BASE_URL: provider.origin,
  };
  const child = spawn(process.execPath, [program, "steps.json"], { cwd, env });
  return { ...readOutput(await finished(child)), requests: provider.requests.length };
}

const CHAINS = 100;
const kinds = new Set<string>();
let renewed = 0;

it.each(Array.from({ length: CHAINS }, (_, number) => number))(
  "records random chain %i again after one of its calls was edited, within the budget, and replays it",
  async (number) => {
    const random = seeded(CHAIN_SEED + number);
    const steps = aChain(random);
    const at = Math.floor(random() * steps.length);
    const edited = steps.map((step, index) => (index === at ? { ...step, text: `[edited ${index}]` } : step));
    const cwd = aProject();
    const title = `edited ${at} of ${JSON.stringify(steps)}`;
    for (const { kind } of steps) kinds.add(kind);
    const provider = await aStatefulServer(number);
    const expected = await runDirectly(cwd, edited);

    const first = await runIn(cwd, steps, ["--mode", "record"], provider);
    expect(first.code, `${title}: ${first.stderr}`).toBe(0);
    provider.forget();

    // Too small a budget sends no call more than it allows, and leaves what replayed before.
    const most = 1 + Math.floor(random() * 3);
    const before = provider.requests.length;
    await runIn(cwd, edited, ["--mode", "record", "--max-calls", String(most)], provider);
    expect({ title, isWithin: provider.requests.length - before <= most }).toEqual({ title, isWithin: true });
    const kept = await runIn(cwd, steps, ["--mode", "strict"]);
    expect(kept.code, `${title}: ${kept.stderr}`).toBe(0);
    provider.forget();

    const sent = provider.requests.length;
    const limit = ["--max-calls", String(expected.requests)];
    const recorded = await runIn(cwd, edited, ["--mode", "record", ...limit], provider);
    expect([recorded.code, recorded.texts], `${title}: ${recorded.stderr}`).toEqual([0, expected.texts]);
    const isNoMore = provider.requests.length - sent <= expected.requests;
    expect({ title, isNoMore }).toEqual({ title, isNoMore: true });
    if (recorded.stderr.includes("made again")) renewed += 1;

    const replayed = await runIn(cwd, edited, ["--mode", "strict"]);
    expect([replayed.code, replayed.texts], `${title}: ${replayed.stderr}`).toEqual([0, expected.texts]);
  },
);

it("tried ids of every kind, and chains that are recorded from their roots", () => {
  console.log(`▸ ${CHAINS} chains recorded again, ${renewed} of them from their roots`);
  expect(renewed).toBeGreaterThanOrEqual(20);
  expect([...kinds].toSorted()).toEqual(Object.keys(KINDS).toSorted());
});
