import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { withTape } from "../../src/testing/tape.ts";
import { anEcho } from "../support/an-echo.ts";
import { casesOf } from "../support/cases.ts";
import { anUpstream } from "./an-upstream.ts";
import { ask, ASKING, statusesIn } from "./asking.ts";
import { anInteraction } from "./imports.ts";
import { aRecordedProject, say, textsBelow } from "./recordings.ts";
import { aProject, serving, tapedeck } from "./tapedeck.ts";
import { filesBelow } from "../support/files-below.ts";

/** Looks like nothing that is known by its shape. */
const SECRET = "m7Qw2Zr9Kd4Xp8Lt1Vb6";
const KIND = "secret from an environment variable";

beforeEach(() => void vi.stubEnv("BILLING_SERVICE_TOKEN", SECRET));
afterEach(() => void vi.unstubAllEnvs());

const asked = (secret: string): string => `Log in. value: ${secret}`;
const asking = (secret: string) => ({
  model: "m",
  messages: [{ role: "user", content: asked(secret) }],
});
const textsIn = (cwd: string): string => textsBelow(join(cwd, ".tapedeck"));

async function run(files: Readonly<Record<string, string>> = {}, secret = SECRET) {
  const upstream = await anUpstream();
  const cwd = aProject({ ...ASKING, ...files });
  const command = [...upstream.options, ...ask(asked(secret))];
  const recorded = await tapedeck(["run", "--mode", "record", ...command], { cwd });
  return { cwd, recorded, replay: () => tapedeck(["run", ...command], { cwd }) };
}

describe("the value of an environment variable with a secret's name is written nowhere", () => {
  it("by a run: such an answer is not recorded, and the kind of secret is reported", async () => {
    const { cwd, recorded } = await run();

    expect(statusesIn(recorded.stdout)).toEqual(["200"]);
    expect(recorded.stderr).toContain(
      `the request body contains what looks like a ${KIND} ("m7Qw"…, 20 char`,
    );
    expect(textsIn(cwd)).not.toContain(SECRET);
  });

  it.each(casesOf({ quick: [".env"], long: [".env", ".env.local"] }))(
    "by a run that reads it from %s: nor is that recorded",
    async (file) => {
      // The process remembers values that it has read.
      const inFile = `x5Hb8${file.length}Wd3Rk6Ny9Zc2Tg7`;
      const { cwd, recorded } = await run({ [file]: `# Billing\nCRM_TOKEN="${inFile}"\n` }, inFile);

      expect(statusesIn(recorded.stdout)).toEqual(["200"]);
      expect(recorded.stderr).toContain(
        `the request body contains what looks like a ${KIND} ("x5Hb"…, ${inFile.length} char`,
      );
      expect(textsIn(cwd)).not.toContain(inFile);
    },
  );

  it("by a run of a project that redacts: it is recorded without it, and replayed", async () => {
    const { cwd, replay } = await run({ "tapedeck.jsonc": '{ "secrets": "redact" }' });

    expect(textsIn(cwd)).toContain(`[redacted: ${KIND}]`);
    expect(textsIn(cwd)).not.toContain(SECRET);
    expect(statusesIn((await replay()).stdout)).toEqual(["200"]);
  });

  it("by a server, also in base64", async () => {
    const upstream = await anUpstream();
    const cwd = aProject();
    const served = await serving(["--mode", "record", ...upstream.options], { cwd });
    const encoded = Buffer.from(`Log in with ${SECRET}!`).toString("base64");

    await say(served.ready.url, cwd, { text: `What is ${encoded}?` }).catch(() => undefined);

    expect((await served.end()).stderr).toContain(`the request body contains what looks like a ${KIND}`);
  });

  it("by an import", async () => {
    const call = anInteraction({ asked: asking(SECRET) });
    const cwd = aProject({ "cassette.json": JSON.stringify({ version: 1, interactions: [call] }) });

    const { stdout, stderr } = await tapedeck(["import", "cassette.json"], { cwd });

    expect(stdout + stderr).toContain(KIND);
    expect(stdout + stderr).not.toContain(SECRET);
    expect(filesBelow(cwd).filter((file) => file.includes("calls/"))).toEqual([]);
  });

  it("by the library", async () => {
    const cwd = aProject();
    const test = { file: "a.test.ts", name: ["asks"], runner: "vitest" };
    const options = { upstreams: { openai: await anEcho() }, beforePaidCall: async () => undefined };
    await withTape(test, { dir: join(cwd, ".tapedeck"), mode: "record", ...options }, async (tape) => {
      for (const secret of [SECRET, "none"])
        await tape.fetch("https://api.openai.com/v1/chat/completions", {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(asking(secret)),
        });

      expect(tape.candidates).toHaveLength(1);
    });

    expect(textsIn(cwd)).not.toContain(SECRET);
  });

  it("and check finds it in what others recorded", async () => {
    const { cwd, dir, entries } = await aRecordedProject([{ text: "plain" }]);
    const path = join(dir, entries[0] ?? "");
    writeFileSync(path, readFileSync(path, "utf8").replace("Answer 1", `Answer ${SECRET}`));

    const { code, stdout } = await tapedeck(["check"], { cwd });

    expect(code).toBe(1);
    expect(stdout).toContain(`This looks like a ${KIND} ("m7Qw"…, 20 characters)`);
  });
});

it("what is no secret is recorded, whatever its variable is called", async () => {
  vi.unstubAllEnvs();
  const values: Readonly<Record<string, string>> = {
    DEPLOY_TOKEN: "/run/secrets/api-token-1",
    VAULT_API_KEY: "op://vault/item/field1",
    DB_PASSWORD: "correct-horse-battery",
    SHORT_API_TOKEN: "abc123",
    RELEASE_NAME: "t4Gx8Rb2Nq6Yw9Jc3Hv7",
  };
  for (const [name, value] of Object.entries(values)) vi.stubEnv(name, value);

  const { entries } = await aRecordedProject(
    Object.values(values).map((value) => ({ text: `It is ${value} today` })),
  );

  expect(entries.filter((entry) => !entry.startsWith("calls/"))).toEqual([]);
});
