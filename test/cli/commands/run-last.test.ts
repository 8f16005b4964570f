import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { anUpstream } from "../an-upstream.ts";
import { ask, ASKING, statusesIn } from "../asking.ts";
import { aProject, tapedeck } from "../tapedeck.ts";

/** A project with its own state folder. */
function aFolder() {
  const cwd = aProject(ASKING);
  const state = aProject();
  return { cwd, state, env: { XDG_STATE_HOME: state } };
}

/** A command that starts fast. Only its words matter. */
const words = (...args: readonly string[]) => ["--", "true", ...args];
const isPosix = process.platform === "linux";

describe("the last command of a folder", () => {
  it("is recorded by --last alone, with the folder and the upstream that it had", async () => {
    const upstream = await anUpstream();
    const { cwd, env } = aFolder();
    const options = ["--dir", "taped", ...upstream.options];
    const first = await tapedeck(["run", ...options, ...ask("Say hi")], { cwd, env });

    const recorded = await tapedeck(["run", "--mode", "record", "--last"], { cwd, env });
    const replayed = await tapedeck(["run", "--last"], { cwd, env });

    expect([first.code, statusesIn(first.stdout)]).toEqual([3, ["404"]]);
    expect(recorded.stderr).toContain("ask.mjs 'Say hi'\n");
    expect(recorded.stderr).toContain("1 recorded");
    expect([replayed.code, statusesIn(replayed.stdout)]).toEqual([0, ["200"]]);
    expect(readdirSync(join(cwd, "taped"))).toContain("calls");
  });

  it("is repeated with the proxy without which its client would call the provider itself", async () => {
    const folder = aFolder();
    await tapedeck(["run", "--proxy", "--", process.execPath, "-p", "process.env.HTTPS_PROXY"], folder);

    const { stdout } = await tapedeck(["run", "--last"], folder);

    expect(stdout).toMatch(/^http:\S+@127\.0\.0\.1:\d+\n$/);
  });

  it.each([
    ["/home/me/project/node_modules/llm-tapedeck/dist/cli.js", "npx tapedeck"],
    ["/home/me/.npm/_npx/1a2b/node_modules/llm-tapedeck/dist/cli.js", "npx --package llm-tapedeck tapedeck"],
    [
      "/home/me/.cache/pnpm/dlx/3c/node_modules/llm-tapedeck/dist/cli.js",
      "npx --package llm-tapedeck tapedeck",
    ],
    ["/home/me/project/.yarn/unplugged/a/node_modules/llm-tapedeck/dist/cli.js", "yarn tapedeck"],
    ["/usr/lib/python3/site-packages/tapedeck/program/dist/cli.js", "tapedeck"],
  ])(
    "is recorded by the command as it is installed in %s, as the error of the client and the report say",
    async (program, command) => {
      const { stdout, stderr } = await tapedeck(["run", ...ask("Say hi")], { ...aFolder(), program });

      expect(stdout).toContain(`or run \`${command} run --mode record --last\``);
      expect(stderr).toContain(`Record them: ${command} run --mode record --last\n`);
    },
  );

  it("is not named in the log of a CI machine, which is read on another one", async () => {
    const { cwd, env } = aFolder();

    const { stderr } = await tapedeck(["run", ...ask("Say hi")], { cwd, env: { ...env, CI: "true" } });

    expect(stderr).toMatch(/^Record them: .* run --mode record -- COMMAND$/m);
  });

  it("is the same however Windows and macOS spell the folder", async () => {
    const { cwd, env } = aFolder();
    // Stands for a file system that ignores case: the system returns one spelling for both folders.
    const spy = vi.spyOn(realpathSync, "native").mockReturnValue(cwd);
    onTestFinished(() => spy.mockRestore());
    await tapedeck(["run", ...words()], { cwd, env });

    const { code, stderr } = await tapedeck(["run", "--last"], { cwd: aProject(), env });

    expect([code, stderr]).toEqual([0, expect.stringContaining("Running: true\n")]);
  });

  it("is another one in another folder", async () => {
    const [one, other] = [aFolder(), aFolder()];
    await tapedeck(["run", ...words()], one);

    const { code, stderr } = await tapedeck(["run", "--last"], { ...other, env: one.env });

    expect(code).toBe(2);
    expect(stderr).toContain(`No command is saved for ${other.cwd}.`);
  });

  it.skipIf(!isPosix)(
    "is the user's alone to read (needs Linux: other systems have places of their own)",
    async () => {
      const { cwd, state, env } = aFolder();
      await tapedeck(["run", ...words()], { cwd, env });

      const folder = join(state, "tapedeck", "last-commands");
      const [file = "", ...others] = readdirSync(folder);

      expect(others).toEqual([]);
      expect([statSync(folder).mode & 0o777, statSync(join(folder, file)).mode & 0o777]).toEqual([
        0o700, 0o600,
      ]);
    },
  );

  it.each([
    [["OPENAI_API_KEY=abc"]],
    [["--api-key", "abc"]],
    [["--password=abc"]],
    [["-H", "Authorization: abc"]],
    [["-u", "me:abc"]],
    [["https://me:abc@example.com/"]],
    [["sk-proj-", "Zx81kQp0Lm27Vb93Nc54"].join("").concat("T3BlbkFJ", "Qw63Er92Ty18Ui47Op05")].map((key) => [
      key,
    ]),
  ])("is not remembered if it seems to contain a credential, which is reported: %j", async (given) => {
    const { cwd, state, env } = aFolder();

    const { stderr } = await tapedeck(["run", ...words(...given)], { cwd, env });

    expect(stderr).toContain("not saved for --last, because it seems to contain a credential");
    expect(() => readdirSync(join(state, "tapedeck"))).toThrow("ENOENT");
  });

  it("is remembered when words only look like it", async () => {
    const { cwd, state, env } = aFolder();
    const given = ["--max-tokens", "5", "tests/test_key.py::TestToken::test_secret", "-k", "token or key"];

    await tapedeck(["run", ...words(...given)], { cwd, env });

    const folder = join(state, "tapedeck", "last-commands");
    expect(readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"))).toEqual([
      expect.stringContaining("token or key"),
    ]);
  });

  it("is proposed without the words when it is not remembered", async () => {
    const { cwd, env } = aFolder();

    const { stderr } = await tapedeck(["run", ...ask("password=abc")], { cwd, env });

    expect(stderr).toMatch(/^Record them: .* run --mode record -- COMMAND$/m);
    expect(stderr.split("Record them")[1]).not.toContain("abc");
  });
});
