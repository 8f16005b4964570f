import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createKeyPair } from "../../../src/remote/team-keys.ts";
import { anUpstream, type Upstream } from "../an-upstream.ts";
import { ask, ASKING } from "../asking.ts";
import { aProject, tapedeck, type Finished } from "../tapedeck.ts";

/** A child process has neither the address nor the keys of a team cache. */
const CHECK = `if (Object.keys(process.env).some((name) => name.startsWith("TAPEDECK_REMOTE"))) process.exit(9);`;

interface Shared {
  readonly cache: string;
  readonly upstream: Upstream;
  readonly env: Readonly<Record<string, string>>;
  /** The same with the public key, as a pull request from a fork has it. */
  readonly reader: Readonly<Record<string, string>>;
  /** Creates a team member's checkout. */
  readonly checkout: (files?: Readonly<Record<string, string>>) => string;
  readonly run: (
    cwd: string,
    options: readonly string[],
    words: readonly string[],
    env?: Readonly<Record<string, string>>,
  ) => Promise<Finished>;
}

async function aSharedCache(): Promise<Shared> {
  const cache = aProject();
  const upstream = await anUpstream();
  const { privateKey, publicKey } = createKeyPair();
  const env = {
    TAPEDECK_REMOTE: cache,
    TAPEDECK_REMOTE_KEY: privateKey,
    TAPEDECK_REMOTE_PASSWORD: "none of the tests' business",
  };
  return {
    cache,
    upstream,
    env,
    reader: { ...env, TAPEDECK_REMOTE_KEY: publicKey },
    checkout: (files) => aProject({ "ask.mjs": CHECK + ASKING["ask.mjs"], ...files }),
    run: (cwd, options, words, own = env) =>
      tapedeck(["run", ...upstream.options, ...options, ...ask(...words)], { cwd, env: own }),
  };
}

describe("run with a team cache", () => {
  it("reports where prompts are sent, and how many calls the cache answered", async () => {
    const { run, checkout, cache, reader } = await aSharedCache();

    const made = await run(checkout(), ["--mode", "record", "--remote-write"], ["hi", "you"]);
    const used = await run(checkout(), [], ["hi", "you", "hi"], reader);

    expect(made.stderr).toContain("New recordings, with prompts and responses, are uploaded to it.");
    expect(made.stderr).toContain("The recordings of 2 calls were uploaded to the team cache.");
    expect(used.code).toBe(0);
    expect(used.stderr).toContain(`3 answered from the team cache ${cache}.\n2 recordings were downloaded.`);
    expect(used.stderr).not.toContain("are uploaded");
  });

  it("uploads nothing without the private key, as in a pull request from a fork", async () => {
    const { run, checkout, cache, reader } = await aSharedCache();

    const { code, stderr } = await run(checkout(), ["--mode", "record", "--remote-write"], ["hi"], reader);

    expect(code).toBe(0);
    expect(stderr).toContain("The team cache is read-only");
    expect(stderr).not.toContain("are uploaded");
    expect(readdirSync(cache)).toEqual([]);
  });

  it("is not switched on by the project", async () => {
    const { checkout, cache } = await aSharedCache();
    const cwd = checkout({ "tapedeck.jsonc": JSON.stringify({ remote: cache }) });

    const { stderr } = await tapedeck(["run", ...ask("hi")], { cwd });

    expect(stderr).toContain("a project must not decide where prompts are sent");
  });
});

describe("team push and team pull", () => {
  it("give the team what was recorded without it, and bring what is not here", async () => {
    const { run, checkout, env, reader, cache } = await aSharedCache();
    const one = checkout();
    await run(one, ["--mode", "record", "--no-remote"], ["hi", "hi", "you"]);

    const pushed = await tapedeck(["team", "push"], { cwd: one, env });
    const again = await tapedeck(["team", "push", "--json"], { cwd: one, env });
    const two = checkout();
    const pulled = await tapedeck(["team", "pull"], { cwd: two, env: reader });
    const offline = await run(two, ["--no-remote"], ["hi", "hi", "you"]);
    const listed = await tapedeck(["list", "--json"], { cwd: two });

    expect(pushed.stderr).toContain(`3 recordings uploaded to ${cache}.`);
    expect(JSON.parse(again.stdout)).toEqual({ added: [], existing: 3, newer: [], kept: [] });
    expect(pulled.stderr).toContain(`3 recordings downloaded from ${cache}.`);
    expect(offline.code).toBe(0);
    expect(offline.stderr).toContain("3 answered from recordings of the team that were downloaded before.");
    expect(existsSync(join(two, ".tapedeck/calls"))).toBe(false);
    const origins = (JSON.parse(listed.stdout) as { from: string }[]).map(({ from }) => from);
    expect(origins).toEqual(["team", "team", "team"]);
  });

  it("use nothing that was changed there, and name ten of many", async () => {
    const { checkout, env, cache } = await aSharedCache();
    const folder = join(cache, "calls/openai/00");
    mkdirSync(folder, { recursive: true });
    for (let index = 0; index < 12; index += 1)
      writeFileSync(join(folder, `${index.toString(16).padStart(64, "0")}.takes`), "{}");

    const { code, stderr } = await tapedeck(["team", "pull"], { cwd: checkout(), env });

    expect(code).toBe(0);
    expect(stderr.match(/is not signed/g)).toHaveLength(10);
    expect(stderr).toContain("warning: 2 more like these. Use --json to see all.");
    expect(stderr).toMatch(
      /has no other recordings \(0 calls are already here\)\. 12 objects could not be used\./,
    );
  });
});

describe("team key", () => {
  it("makes a pair of keys", async () => {
    const { stdout } = await tapedeck(["team", "key"], { cwd: aProject() });

    expect(stdout).toMatch(/^ed25519-private:[\w-]{43}\ned25519-public:[\w-]{43}\n$/);
  });
});
