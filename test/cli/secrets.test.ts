import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { send } from "../support/http-client.ts";
import { madeUpSecrets, secretInContext } from "../support/made-up-secrets.ts";
import { seeded } from "../support/seeded.ts";
import { anUpstream } from "./an-upstream.ts";
import { ask, ASKING } from "./asking.ts";
import { aRecordedProject, say, textsBelow } from "./recordings.ts";
import { aProject, serving, tapedeck } from "./tapedeck.ts";

const FIRST = madeUpSecrets();
const SECOND = madeUpSecrets(seeded(8));
const KINDS = Object.keys(FIRST);
const question = (kind: string, from: Readonly<Record<string, string>>): string =>
  `What is ${secretInContext(kind, from[kind] ?? "")} for? (${kind})`;
const REDACT = { "tapedeck.jsonc": '{ "secrets": "redact" }' };

/** Those of the secrets that stand in a text, escaped or not. */
function found(text: string): readonly string[] {
  const plain = text.replaceAll("\\n", "\n");
  return [...Object.entries(FIRST), ...Object.entries(SECOND)]
    .filter(([, secret]) => text.includes(secret) || plain.includes(secret))
    .map(([kind]) => kind);
}

describe("a project that redacts", () => {
  it("keeps no secret, shows none, and finds its recordings again for another secret of the kind", async () => {
    const upstream = await anUpstream();
    const cwd = aProject(REDACT);
    const recording = await serving(["--mode", "record", "--log", "json", ...upstream.options], { cwd });
    for (const [at, kind] of KINDS.entries())
      await say(recording.ready.url, cwd, { text: question(kind, FIRST), stream: at % 2 === 0 });
    const recorded = await recording.end();

    const strict = await serving(["--log", "json"], { cwd });
    const entries: string[] = [];
    for (const [at, kind] of KINDS.entries())
      entries.push(await say(strict.ready.url, cwd, { text: question(kind, SECOND), stream: at % 2 === 0 }));
    const missed = await Promise.all(
      KINDS.map((kind) =>
        send(`${strict.ready.url}/openai/v1/chat/completions`, {
          headers: { "content-type": "application/json" },
          body: JSON.stringify({
            model: "m",
            temperature: 1,
            messages: [{ role: "user", content: `${question(kind, SECOND)} Again.` }],
          }),
        }),
      ),
    );
    const replayed = await strict.end();
    const [entry = ""] = entries;
    const commands = [["list"], ["list", "--json"], ["show", entry], ["show", entry, "--json"], ["check"]];
    const shown = await Promise.all(commands.map((command) => tapedeck(command, { cwd })));

    expect(upstream.requests).toHaveLength(KINDS.length);
    expect(new Set(entries).size).toBe(KINDS.length);
    expect(entries.filter((one) => !one.startsWith("calls/"))).toEqual([]);
    expect(missed.map(({ status }) => status)).toEqual(KINDS.map(() => 404));
    expect(found(textsBelow(join(cwd, ".tapedeck")))).toEqual([]);
    expect(
      found([recorded, replayed, ...shown].flatMap(({ stdout, stderr }) => [stdout, stderr]).join("\n")),
    ).toEqual([]);
    expect(found(missed.map(({ body }) => body.toString()).join("\n"))).toEqual([]);
    expect(shown.map(({ code }) => code)).toEqual(commands.map(() => 0));
  });

  it("reports a run without secrets", async () => {
    const [name = ""] = KINDS;
    const cwd = aProject({ ...REDACT, ...ASKING });
    const reports = ["--report", "json=a.json", "--report", "junit=a.xml", "--report", "github"];

    const { code, stdout, stderr } = await tapedeck(["run", ...reports, ...ask(question(name, FIRST))], {
      cwd,
    });

    const written = ["a.json", "a.xml"].map((file) => readFileSync(join(cwd, file), "utf8"));
    expect(code).toBe(3);
    for (const text of [stderr, stdout, ...written]) {
      expect(text).toContain("redacted: Anthropic key");
      expect(found(text)).toEqual([]);
    }
  });
});

describe("a project without a setting for secrets", () => {
  const [kind = ""] = KINDS;
  const run = async (env: Record<string, string>, config?: string) => {
    const upstream = await anUpstream();
    const cwd = aProject({ ...ASKING, ...(config !== undefined && { "tapedeck.jsonc": config }) });
    const args = ["run", "--mode", "record", ...upstream.options, ...ask(question(kind, FIRST))];
    const finished = await tapedeck(args, { cwd, env });
    return { ...finished, kept: existsSync(join(cwd, ".tapedeck", "calls")) };
  };

  it("has such an answer forwarded and not recorded, with the reason, and fails a run in CI for it", async () => {
    const { code, stdout, stderr, kept } = await run({ CI: "true" });

    expect([code, kept, stdout]).toEqual([1, false, "200 \n"]);
    expect(stderr).toMatch(
      /not recorded: the request body contains what looks like an Anthropic key \("sk-a"…, 108/,
    );
    expect(stderr).not.toContain(FIRST[kind]?.slice(0, 24));
    expect(stderr).toContain("1 call with a secret was not recorded, so the run fails");
  });

  it.each([
    ["{}", {}, 0, false],
    ['{ "secrets": "fail" }', {}, 1, false],
    ['{ "secrets": "drop" }', { CI: "true" }, 0, false],
    ['{ "secrets": "allow" }', { CI: "true" }, 0, true],
    ['{ "allowSecrets": ["^sk-ant-"] }', { CI: "true" }, 0, true],
  ] as const)("follows %s, with %o", async (config, env, code, kept) => {
    const ended = await run(env, config);

    expect([ended.code, ended.kept]).toEqual([code, kept]);
  });
});

describe("check", () => {
  it("names a secret in any encoding in the folder, and shows four characters of it", async () => {
    const { cwd, dir, entries } = await aRecordedProject([
      { text: "plain" },
      { text: "stream", stream: true },
    ]);
    const secret = FIRST["GitHub token"] ?? "";
    const [plain = "", stream = ""] = entries;
    const edit = (entry: string, from: string, to: string): void =>
      writeFileSync(join(dir, entry), readFileSync(join(dir, entry), "utf8").replace(from, to));
    edit(plain, "Answer 1", `Answer ${secret}`);
    edit(stream, '"Answer "', JSON.stringify(`Answer ${secret.slice(0, 9)}`));
    edit(stream, '"2 "', JSON.stringify(secret.slice(9)));

    const { code, stdout } = await tapedeck(["check"], { cwd });

    const lines = stdout.trimEnd().split("\n").toSorted();
    expect(code).toBe(1);
    expect(lines).toHaveLength(2);
    expect(lines.join("\n")).toMatch(
      new RegExp(`${plain}:\\d+:\\d+: error: This looks like a GitHub token \\("ghp_"…, 40 char`),
    );
    expect(lines.join("\n")).toMatch(new RegExp(`${stream}:1:1: error: The response contains`));
    expect(stdout).not.toContain(secret.slice(0, 8));
  });

  it("warns of secrets that a project allows, and accepts values that it excludes", async () => {
    const { cwd, dir, entries } = await aRecordedProject([{ text: "plain" }]);
    const [entry = ""] = entries;
    const secret = FIRST["GitHub token"] ?? "";
    writeFileSync(
      join(dir, entry),
      readFileSync(join(dir, entry), "utf8").replace("Answer 1", `Answer ${secret}`),
    );
    const checked = async (config: string) => {
      writeFileSync(join(cwd, "tapedeck.jsonc"), config);
      const { code, stdout } = await tapedeck(["check"], { cwd });
      return [code, /\(([\w-]+)\)\n$/.exec(stdout)?.[1]];
    };

    const allowed = await checked('{ "secrets": "allow" }');
    const none = await checked('{ "allowSecrets": ["^ghp_"] }');

    expect([allowed, none]).toEqual([
      [0, "allowed-secret"],
      [0, undefined],
    ]);
  });
});
