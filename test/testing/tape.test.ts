import { randomUUID } from "node:crypto";
import channel from "node:diagnostics_channel";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { expect, onTestFinished, test, vi } from "vitest";
import { openDeck } from "../../src/deck/deck.ts";
import { openLibraryDeck } from "../../src/deck/library-deck.ts";
import { createTestRef, openTape, type Tape, withTape, type TapeOptions } from "../../src/testing/tape.ts";
import { aFolder } from "../support/a-folder.ts";
import { anEcho } from "../support/an-echo.ts";
import { madeUpSecrets } from "../support/made-up-secrets.ts";

const TEST = { file: "a.test.ts", name: ["asks"], runner: "vitest" };

/** Options for recording from a model that repeats what it is asked. */
const recordingFrom = async (dir: string): Promise<TapeOptions> => ({
  dir,
  mode: "record",
  upstreams: { openai: await anEcho() },
  beforePaidCall: async () => undefined,
});

/** Sends one chat completion. */
const ask = ({ fetch }: Tape, content = "hi"): Promise<Response> =>
  fetch("https://api.openai.com/v1/chat/completions", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "gpt-5-mini", messages: [{ role: "user", content }] }),
  });

async function answerTo(tape: Tape, content?: string): Promise<string> {
  const { choices } = (await (await ask(tape, content)).json()) as {
    choices: readonly { message: { content: string } }[];
  };
  return choices[0]?.message.content ?? "";
}

test("a test that passes keeps what it recorded, and the next one is answered from it", async () => {
  const dir = `${aFolder()}/.tapedeck`;

  const recorded = await withTape(TEST, await recordingFrom(dir), async (tape) => {
    const answer = await answerTo(tape);
    expect(tape.candidates).toHaveLength(1);
    return answer;
  });
  const replayed = await withTape(TEST, { dir }, (tape) => answerTo(tape));

  expect([recorded, replayed]).toEqual(["About hi", "About hi"]);
});

test("a gateway in the SDK's own variable is recorded from, and replayed without the variable", async () => {
  const dir = `${aFolder()}/.tapedeck`;
  const gateway = await anEcho();
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv("OPENAI_BASE_URL", `${gateway}/v1`);
  const body = JSON.stringify({ model: "gpt-5-mini", messages: [{ role: "user", content: "hi" }] });

  const recorded = await withTape(TEST, { dir, mode: "record" }, async ({ fetch }) => {
    const reply = await fetch(`${gateway}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    return reply.status;
  });
  vi.stubEnv("OPENAI_BASE_URL", undefined);
  const replayed = await withTape(TEST, { dir }, (tape) => answerTo(tape));

  expect([recorded, replayed]).toEqual([200, "About hi"]);
});

test("a test that fails keeps nothing and fails as it did", async () => {
  const dir = `${aFolder()}/.tapedeck`;

  const failing = withTape(TEST, await recordingFrom(dir), async (tape) => {
    await answerTo(tape);
    throw new Error("expected another answer");
  });

  await expect(failing).rejects.toThrow("expected another answer");
  expect(existsSync(dir)).toBe(false);
});

test("a call that is aborted before it is made is rejected, as by fetch, and is no miss", async () => {
  const call = (tape: Tape) =>
    tape.fetch("https://api.openai.com/v1/models", { signal: AbortSignal.abort() });

  const calling = withTape(TEST, { dir: aFolder() }, call);

  await expect(calling).rejects.toThrow(expect.objectContaining({ name: "AbortError" }));
});

test("a test in jsdom, whose classes are of another realm, is answered", async () => {
  const dir = `${aFolder()}/.tapedeck`;
  await withTape(TEST, await recordingFrom(dir), (tape) => answerTo(tape));
  vi.stubGlobal("Uint8Array", runInNewContext("Uint8Array"));
  onTestFinished(() => void vi.unstubAllGlobals());

  const replayed = await withTape(TEST, { dir }, (tape) => answerTo(tape));

  expect(replayed).toBe("About hi");
});

test("values that the test's process makes up match by origin, and the reply quotes those of this run", async () => {
  const dir = `${aFolder()}/.tapedeck`;
  const made = (options: TapeOptions) =>
    withTape(TEST, options, async (tape) => {
      const number = Math.random().toString(36).slice(2, 10);
      const content = `Order ${randomUUID()}, run_${number}, in ${mkdtempSync(join(aFolder(), "job-"))}/x`;
      return { content, text: await answerTo(tape, content) };
    });

  await made(await recordingFrom(dir));
  const { content, text } = await made({ dir, mode: "strict" });

  expect(text).toBe(`About ${content}`);
});

test("a default folder that a repository links out of itself is refused, and is used when it is named", async () => {
  const folder = aFolder();
  mkdirSync(join(folder, "repo", ".git"), { recursive: true });
  mkdirSync(join(folder, "out"));
  symlinkSync("../out", join(folder, "repo", ".tapedeck"));
  vi.spyOn(process, "cwd").mockReturnValue(join(folder, "repo"));
  onTestFinished(() => void vi.restoreAllMocks());

  await expect(openTape(TEST, {})).rejects.toThrow(/a link out of the project.*Give dir: "\.tapedeck"/s);
  await withTape(TEST, { dir: ".tapedeck" }, () => undefined);

  expect(readdirSync(join(folder, "out"))).toEqual([]);
});

test("in a package of a repository, the recordings and the names of tests are those of the repository", async () => {
  const folder = aFolder();
  mkdirSync(join(folder, ".git"));
  mkdirSync(join(folder, "packages/web"), { recursive: true });
  const options = await recordingFrom(join(folder, ".tapedeck"));
  const recorded = await withTape(TEST, options, (tape) => answerTo(tape));
  vi.spyOn(process, "cwd").mockReturnValue(join(folder, "packages/web"));
  onTestFinished(() => void vi.restoreAllMocks());

  const replayed = await withTape(TEST, {}, (tape) => answerTo(tape));
  const { file } = createTestRef(join(folder, "packages/web/a.test.ts"), ["asks"], "vitest");

  expect([replayed, file]).toEqual([recorded, "packages/web/a.test.ts"]);
});

test("within a test, what it recorded answers its further calls take by take", async () => {
  const dir = `${aFolder()}/.tapedeck`;
  const entriesOf = async (tape: Tape, calls: number): Promise<(string | null)[]> => {
    const entries = [];
    for (let call = 0; call < calls; call += 1)
      entries.push((await ask(tape)).headers.get("x-tapedeck-entry"));
    return entries;
  };

  await withTape(TEST, await recordingFrom(dir), (tape) => entriesOf(tape, 2));
  const [first, second, third] = await withTape(TEST, { dir }, (tape) => entriesOf(tape, 3));

  expect(first).toMatch(/[0-9a-f]\.json$/);
  expect([second, third]).toEqual(Array(2).fill(first?.replace(/\.json$/, ".2.json")));
});

test("the rules of the project spare a test what changes with each run", async () => {
  const folder = aFolder();
  const dir = `${folder}/.tapedeck`;
  writeFileSync(`${folder}/tapedeck.jsonc`, '{ "normalize": [{ "replace": "$uuid" }] }');
  const typed = (digit: number): string => `Run 3f9a2c41-0000-4000-8000-00000000000${digit}`;
  await withTape(TEST, await recordingFrom(dir), (tape) => answerTo(tape, typed(1)));

  const replayed = await withTape(TEST, { dir }, (tape) => answerTo(tape, typed(2)));

  expect(replayed).toBe(`About ${typed(1)}`);
});

test("a strict miss fails the test with its text, even if the test catches it", async () => {
  const dir = `${aFolder()}/.tapedeck`;

  const failure = await failureOf(
    withTape(TEST, { dir, mode: "strict" }, async (tape) => {
      expect((await ask(tape, "not recorded")).status).toBe(404);
      expect(tape.misses).toEqual([expect.stringContaining("set the variable TAPEDECK_MODE to record")]);
    }),
  );

  expect(failure).toMatch(/No recording for this gpt-5-mini call \("not recorded"\), key [0-9a-f]{8}…/);
  expect(existsSync(dir)).toBe(false);
});

test("a secret fails the test if the project is set to fail, even if the test catches it, and otherwise is reported", async () => {
  const secret = madeUpSecrets()["GitHub token"] ?? "";
  const warnings = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
  onTestFinished(() => warnings.mockRestore());
  const asked = async (
    policy: string,
  ): Promise<{ readonly failure: string; readonly isWritten: boolean }> => {
    const folder = aFolder();
    writeFileSync(`${folder}/tapedeck.jsonc`, JSON.stringify({ secrets: policy }));
    const dir = `${folder}/.tapedeck`;
    const failure = await failureOf(
      withTape(TEST, await recordingFrom(dir), async (tape) => {
        await ask(tape, `Deploy with ${secret}`).catch(() => undefined);
        return "none";
      }),
    );
    return { failure, isWritten: existsSync(`${dir}/calls`) };
  };

  const failing = await asked("fail");
  const dropping = await asked("drop");

  expect(failing.failure).toContain(
    "The response was not recorded: the request body contains what looks like a",
  );
  expect(failing.failure).toContain('"allowSecrets" lists values that are not secrets');
  expect(dropping.failure).toBe("none");
  expect([failing.isWritten, dropping.isWritten]).toEqual([false, false]);
  expect(warnings.mock.calls.map(([text]) => String(text))).toContainEqual(
    expect.stringContaining("The response was not recorded: the request body contains what looks like a"),
  );
});

test("in a run over its folder, calls of a test and of a deck are the run's, and misses fail the test", async () => {
  const dir = `${aFolder()}/.tapedeck`;
  await withTape(TEST, await recordingFrom(dir), (tape) => answerTo(tape));
  const deck = openDeck({ dir });
  const outcomes: string[] = [];
  deck.engine.onCall(({ outcome }) => outcomes.push(outcome));
  const server = await deck.listen();
  vi.stubEnv("TAPEDECK_URL", server.admit(deck.createRun("strict")).url);
  vi.stubEnv("OPENAI_BASE_URL", `${process.env["TAPEDECK_URL"]}/openai/v1`);
  // Set by the hooks.
  Object.defineProperty(channel, Symbol.for("tapedeck.redirected"), { value: true, configurable: true });
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    Reflect.deleteProperty(channel, Symbol.for("tapedeck.redirected"));
    await deck.close();
  });
  const asked = (options: TapeOptions, text: string) =>
    withTape(TEST, options, async ({ fetch, mode }) => {
      const url = `${process.env["OPENAI_BASE_URL"]}/chat/completions`;
      await ask({ fetch: (_, init) => fetch(url, init) } as Tape, text);
      return mode;
    });

  expect(await asked({ dir }, "hi")).toBe("strict");
  expect(await failureOf(asked({ dir }, "not recorded"))).toMatch(
    /^No recording for this gpt-5-mini call \("not recorded"\).*\nKey: sha256:/s,
  );
  expect(outcomes).toEqual(["replayed", "miss"]);
  await asked({ dir, mode: "lenient" }, "not recorded");
  expect(await failureOf(asked({ dir: aFolder() }, "hi"))).toContain("No recording");
  expect(outcomes).toHaveLength(2);

  const own = openLibraryDeck({ dir });
  const url = `${process.env["OPENAI_BASE_URL"]}/chat/completions`;
  const by = (mode: "strict" | "lenient") => own.fetch(own.createRun(mode));
  await ask({ fetch: (_, init) => by("strict")(url, init) } as Tape, "hi");
  await ask({ fetch: (_, init) => by("lenient")(url, init) } as Tape, "not recorded");
  expect(outcomes.slice(2)).toEqual(["replayed"]);
  await own.close();
});

test("a test is answered leniently by the script of the test's own options, else of the project", async () => {
  const folder = aFolder();
  const dir = `${folder}/.tapedeck`;
  writeFileSync(`${folder}/tapedeck.jsonc`, '{ "lenient": { "script": ["of the project"] } }');
  const asked = async (options: TapeOptions): Promise<string> =>
    withTape(TEST, { dir, mode: "lenient", ...options }, (tape) => answerTo(tape));

  expect(await asked({})).toBe("of the project");
  expect(await asked({ script: [{ reply: "of the test" }] })).toBe("of the test");
  expect(await asked({ defaultReply: "by default" })).toBe("by default");
});

test("the mode is that of TAPEDECK_MODE when none is given, and a wrong one is refused", async () => {
  const dir = aFolder();
  process.env["TAPEDECK_MODE"] = "lenient";
  try {
    const mode = await withTape(TEST, { dir }, (tape) => tape.mode);

    expect(mode).toBe("lenient");
    process.env["TAPEDECK_MODE"] = "rekord";
    await expect(openTape(TEST, { dir })).rejects.toThrow('There is no mode "rekord".');
    // @ts-expect-error -- programs without types may pass it
    await expect(openTape(TEST, { dir, mode: "liv" })).rejects.toThrow('There is no mode "liv".');
  } finally {
    delete process.env["TAPEDECK_MODE"];
  }
});

async function failureOf(running: Promise<unknown>): Promise<string> {
  return running.then(
    () => "none",
    (error: Error) => error.message,
  );
}
