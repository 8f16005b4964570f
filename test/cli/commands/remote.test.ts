import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newKeyPair, newSharedKey } from "../../../src/remote/sealed/team-keys.ts";
import { anUpstream, type Upstream } from "../an-upstream.ts";
import { aProject, tapedeck, type Finished } from "../tapedeck.ts";

const ASK = `
const { OPENAI_BASE_URL, OPENAI_API_KEY } = process.env;
if (Object.keys(process.env).some((name) => name.startsWith("TAPEDECK_REMOTE"))) process.exit(9);
for (const content of process.argv.slice(2)) {
  const reply = await fetch(OPENAI_BASE_URL + "/chat/completions", {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer " + OPENAI_API_KEY },
    body: JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content }] }),
  });
  await reply.text();
}
`;

interface Shared {
  readonly cache: string;
  readonly upstream: Upstream;
  readonly env: Readonly<Record<string, string>>;
  /** A checkout of somebody in the team. */
  readonly checkout: (files?: Readonly<Record<string, string>>) => string;
  readonly run: (cwd: string, options: readonly string[], ...words: readonly string[]) => Promise<Finished>;
}

async function aSharedCache(): Promise<Shared> {
  const cache = aProject();
  const upstream = await anUpstream();
  const env = {
    TAPEDECK_REMOTE: cache,
    TAPEDECK_REMOTE_KEY: newSharedKey(),
    TAPEDECK_REMOTE_PASSWORD: "none of the tests' business",
  };
  return {
    cache,
    upstream,
    env,
    checkout: (files) => aProject({ "ask.mjs": ASK, ...files }),
    run: (cwd, options, ...words) =>
      tapedeck(["run", ...upstream.options, ...options, "--", process.execPath, "ask.mjs", ...words], {
        cwd,
        env,
      }),
  };
}

describe("run with a team's cache", () => {
  it("says where prompts go, and how many calls the cache answered", async () => {
    const { run, checkout, cache } = await aSharedCache();

    const made = await run(checkout(), ["--mode", "record", "--remote-write"], "hi", "you");
    const used = await run(checkout(), [], "hi", "you", "hi");

    expect(made.stderr).toContain(`New recordings, with their prompts and answers, are sent there.`);
    expect(made.stderr).toContain("2 new recordings added to it.");
    expect(used.code).toBe(0);
    expect(used.stderr).toContain(`3 answered from the team's cache ${cache} (2 recordings fetched now).`);
    expect(used.stderr).not.toContain("are sent there");
  });

  it("tells programs the same", async () => {
    const { run, checkout, cache } = await aSharedCache();
    await run(checkout(), ["--mode", "record", "--remote-write"], "hi");

    const { stdout } = await run(checkout(), ["--json"], "hi");

    expect(JSON.parse(stdout.trim().split("\n").at(-1) ?? "")).toMatchObject({
      counts: { replayed: 1, miss: 0 },
      leftMachine: 0,
      team: { cache, scope: "trusted", answered: 1, brought: 1, added: 0, unsent: 0, trouble: null },
    });
  });

  it("goes on without it where it is gone, and says so once", async () => {
    const { run, checkout, cache } = await aSharedCache();
    const cwd = checkout();
    await run(cwd, ["--mode", "record", "--no-remote"], "hi");
    rmSync(cache, { recursive: true });

    const { code, stderr } = await run(cwd, ["--mode", "record", "--remote-write"], "hi", "you", "they");

    expect(code).toBe(0);
    expect(stderr).toContain("1 replayed · 2 recorded");
    expect(stderr).toContain(
      "2 new recordings could not be added to it, and are here: tapedeck team push sends them.",
    );
    expect(stderr.match(/^warning: .*$/gm)).toHaveLength(1);
  });

  it("is not switched on by the project", async () => {
    const { checkout, cache } = await aSharedCache();
    const cwd = checkout({ "tapedeck.jsonc": JSON.stringify({ remote: cache }) });

    const { stderr } = await tapedeck(["run", "--", process.execPath, "ask.mjs", "hi"], { cwd });

    expect(stderr).toContain("a project must not say where prompts are sent");
  });
});

describe("push and pull", () => {
  it("give the team what was recorded without it, and bring what is not here", async () => {
    const { run, checkout, env, cache } = await aSharedCache();
    const one = checkout();
    await run(one, ["--mode", "record", "--no-remote"], "hi", "hi", "you");

    const pushed = await tapedeck(["team", "push"], { cwd: one, env });
    const again = await tapedeck(["team", "push", "--json"], { cwd: one, env });
    const two = checkout();
    const pulled = await tapedeck(["team", "pull"], { cwd: two, env });
    const offline = await run(two, ["--no-remote"], "hi", "hi", "you");
    const listed = await tapedeck(["list", "--json"], { cwd: two });

    expect(pushed.stderr).toContain(`3 recordings added to ${cache}; 0 were there.`);
    expect(JSON.parse(again.stdout)).toEqual({ added: [], there: 3, kept: [] });
    expect(pulled.stderr).toContain(`3 recordings brought from ${cache}; 0 were here.`);
    expect(offline.code).toBe(0);
    expect(offline.stderr).toContain("3 answered from the team's cache, brought here before.");
    expect(existsSync(join(two, ".tapedeck/calls"))).toBe(false);
    expect((JSON.parse(listed.stdout) as { from: string }[]).map(({ from }) => from)).toEqual([
      "team",
      "team",
      "team",
    ]);
  });

  it("send nothing that the project calls a secret", async () => {
    const { run, checkout, env } = await aSharedCache();
    const cwd = checkout({ "tapedeck.jsonc": JSON.stringify({ secrets: "allow" }) });
    const secret = `ghp_${"a1B2c3D4e5F6g7H8i9".repeat(2)}`;
    await run(cwd, ["--mode", "record", "--no-remote"], `my key is ${secret}`, "hi");
    writeFileSync(join(cwd, "tapedeck.jsonc"), "{}");

    const { code, stderr, stdout } = await tapedeck(["team", "push", "--json"], { cwd, env });

    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ added: [expect.any(String)], kept: [expect.anything()] });
    expect(stderr).toMatch(/was not sent\. This recording is not kept/);
  });

  it("use nothing that was changed there, and say which", async () => {
    const { run, checkout, env, cache } = await aSharedCache();
    await run(checkout(), ["--mode", "record", "--remote-write"], "hi");
    const calls = join(cache, "trusted/calls/openai");
    const [folder = ""] = readdirSync(calls);
    const [file = ""] = readdirSync(join(calls, folder));
    writeFileSync(join(calls, folder, file), "{}");

    const { code, stderr } = await tapedeck(["team", "pull"], { cwd: checkout(), env });

    expect(code).toBe(0);
    expect(stderr).toContain("is nothing that Tapedeck wrote. It was not used.");
    expect(stderr).toMatch(/0 recordings brought from .*, 1 not used\./);
  });

  it("name ten of many that cannot be used, and how many more there are", async () => {
    const { checkout, env, cache } = await aSharedCache();
    const folder = join(cache, "trusted/calls/openai/00");
    mkdirSync(folder, { recursive: true });
    for (let index = 0; index < 12; index += 1)
      writeFileSync(join(folder, `${index.toString(16).padStart(64, "0")}.json`), "{}");

    const { stderr } = await tapedeck(["team", "pull"], { cwd: checkout(), env });

    expect(stderr.match(/nothing that Tapedeck wrote/g)).toHaveLength(10);
    expect(stderr).toContain("warning: 2 more like these; --json names all of them.");
  });

  it("fail where the cache is not there", async () => {
    const { checkout, env, cache } = await aSharedCache();
    rmSync(cache, { recursive: true });

    const { code, stderr } = await tapedeck(["team", "pull"], { cwd: checkout(), env });

    expect(code).toBe(1);
    expect(stderr).toContain(cache);
  });
});

describe("remote", () => {
  it("says whether a cache can be written", async () => {
    const { run, checkout, env, cache } = await aSharedCache();
    await run(checkout(), ["--mode", "record", "--remote-write"], "hi");

    const reading = await tapedeck(["team", "status"], { cwd: checkout(), env });
    const writing = await tapedeck(["team", "status", "--remote-write", "--json"], {
      cwd: checkout(),
      env,
    });

    expect(reading.stdout).toContain(`${cache} can be read\nscope trusted: 1 recording there`);
    expect(JSON.parse(writing.stdout)).toMatchObject({ cache, writes: true, there: 1, brought: 0 });
  });

  it("makes keys", async () => {
    const one = await tapedeck(["team", "key"], { cwd: aProject() });
    const pair = await tapedeck(["team", "key", "--pair"], { cwd: aProject() });

    expect(one.stdout).toMatch(/^hmac:[\w-]{43}\n$/);
    expect(pair.stdout).toMatch(/^ed25519-private:[\w-]{43}\ned25519-public:[\w-]{43}\n$/);
  });

  it("cannot be written with a key that only reads", async () => {
    const { env } = await aSharedCache();
    const { publicKey } = newKeyPair();
    const cwd = aProject();
    mkdirSync(join(cwd, ".tapedeck"));

    const { code, stderr } = await tapedeck(["team", "push"], {
      cwd,
      env: { ...env, TAPEDECK_REMOTE_KEY: publicKey },
    });

    expect(code).toBe(2);
    expect(stderr).toContain("the key at hand only reads");
  });
});
