import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/cli/main.ts";
import { tapedeckProcess } from "./a-process.ts";
import { aProject, tapedeck } from "./tapedeck.ts";

describe("wrong usage ends with 2, what is wrong and how it is right", () => {
  it.each([
    [[], /no command/, /--help/],
    [["foo"], /no command "foo"/, /serve, run, list, show, check, import, export, prune/],
    [["rnu"], /no command "rnu"/, /Did you mean run\?/],
    [["run", "--mod", "record"], /no option "--mod"/, /Did you mean --mode\?/],
    [["check", "--jsno"], /no option "--jsno"/, /Did you mean --json\?/],
    [["import"], /needs the files or folders/, /import --help/],
    [["import", "absent.yaml"], /no file or folder "absent.yaml"/, /import --help/],
    [["import", "vcr", "absent.yaml"], /no file or folder "absent.yaml"/, /import --help/],
    [["import", ".", "--upstream", "x=ftp://example.com"], /web address/, /https:\/\//],
    [["export"], /needs --to/, /export --help/],
    [["export", "--to", "nock"], /"nock"/, /har or vcr/],
    [["export", "a", "--to", "har"], /export does not take "a"/, /export --help/],
    [["serve", "--mode", "replay"], /no mode "replay"/, /strict, record, refresh, lenient, live/],
    [["serve", "--mode"], /--mode needs a value/, /serve --help/],
    [["serve", "--mode", "--dir", "x"], /--mode needs a value/, /serve --help/],
    [["serve", "--dir="], /--dir needs a value/, /serve --help/],
    [["serve", "--unknown"], /no option "--unknown"/, /--upstream/],
    [["serve", "-x"], /no option "-x"/, /--mode/],
    [["serve", "now"], /"now"/, /serve --help/],
    [["serve", "--port", "http"], /"http" is not a port/, /65535/],
    [["serve", "--port", "65536"], /"65536" is not a port/, /65535/],
    [["serve", "--token", "a/b"], /"a\/b" is not a valid token/, /letters, digits/],
    [["serve", "--token", ".."], /is not a valid token/, /letters, digits/],
    [["serve", "--log", "text"], /"text"/, /json/],
    [["serve", "--timing", "fast"], /"fast"/, /none or recorded/],
    [["serve", "--default", "Hi"], /strict/, /--mode lenient/],
    [["serve", "--upstream", "openai"], /"openai" is not an upstream/, /PROVIDER=URL/],
    [["serve", "--upstream", "openai=http://example.com"], /not encrypted/, /https:\/\//],
    [["serve", "--upstream", "openai=ftp://127.0.0.1"], /ftp/, /https:\/\//],
    [["serve", "--upstream", "Open AI=https://example.com"], /"Open AI"/, /lowercase/],
    [["run", "--unknown"], /no option "--unknown"/, /^(?!.*--attach).*--require-calls/],
    [["run", "npm", "test"], /"npm" is before --/, /run --help/],
    [["run", "--mode", "record"], /no command to run/, /run --help/],
    [["run", "--"], /no command to run/, /run --help/],
    [["run", "--last"], /No command is saved/, /-- COMMAND/],
    [["run", "--last", "--", "npm", "test"], /cannot be combined/, /run --help/],
    [["run", "--remote-write", "--", "true"], /--remote-write needs a team cache/, /TAPEDECK_REMOTE/],
    [["run", "--remote", "team", "--", "true"], /"?team"?/, /redis:\/\//],
    [["run", "--remote", "/team", "--", "true"], /The team cache has no key/, /TAPEDECK_REMOTE_KEY/],
    [["run", "--remote", "/team", "--remote", "/b", "--", "true"], /--remote is given twice/, /once/],
    [["run", "--remote", "/team", "--no-remote", "--", "true"], /cannot be combined/, /Remove one of them/],
    [["team", "pull"], /There is no team cache/, /docs\/team.md/],
    [["team", "push", "--dir", "x"], /There is no team cache/, /--remote ADDRESS/],
    [["team"], /team needs an action: pull, push, key/, /team --help/],
    [["team", "rm"], /team has no action "rm"/, /team --help/],
    [["list", "--json=yes"], /--json takes no value/, /list --help/],
    [["show"], /needs one recording/, /show --help/],
    [["show", "3f9a", "4a4a"], /needs one recording/, /show --help/],
    [["show", "3f9"], /too short/, /4 digits/],
    [["check", "--json", "--sarif"], /cannot be combined/, /check --help/],
    [["prune", "all"], /"all"/, /prune --help/],
  ])("%j", async (args, what, how) => {
    const { code, stdout, stderr } = await tapedeck(args, { cwd: aProject() });

    const lines = stderr.trimEnd().split("\n").slice(-2);
    expect(code).toBe(2);
    expect(stdout).toBe("");
    expect(lines[0]).toMatch(what);
    expect(lines[1]).toMatch(how);
  });
});

describe("help and version", () => {
  it("lists every command, on standard output", async () => {
    const { code, stdout, stderr } = await tapedeck(["--help"], { cwd: aProject() });

    expect([code, stderr]).toEqual([0, ""]);
    const listed = [...stdout.matchAll(/^ {2}([a-z][\w-]*) /gm)].map(([, name]) => name);
    expect(listed).toEqual(Object.keys(COMMANDS));
  });

  it("leaves --help behind -- to the command that is run", async () => {
    const command = [process.execPath, "-e", "console.log(...process.argv.slice(1))", "--", "--help"];

    const { stdout } = await tapedeck(["run", "--", ...command], { cwd: aProject() });

    expect(stdout).toBe("--help\n");
  });

  it("prints the version of the package", async () => {
    const { code, stdout } = await tapedeckProcess(["--version"], { cwd: aProject() });

    const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
      version: string;
    };
    expect([code, stdout]).toEqual([0, `${manifest.version}\n`]);
  });
});

describe("folders", () => {
  it.each(["list", "check", "prune"])("%s fails on a named folder that does not exist", async (command) => {
    const { code, stderr } = await tapedeck([command, "--dir", "nowhere"], { cwd: aProject() });

    expect(code).toBe(1);
    expect(stderr).toMatch(/nowhere cannot be used: it does not exist/);
  });

  it("a project without recordings is empty, and that is reported", async () => {
    const cwd = aProject();

    const list = await tapedeck(["list", "--json"], { cwd });
    const check = await tapedeck(["check"], { cwd });

    expect([list.code, JSON.parse(list.stdout), check.code]).toEqual([0, [], 0]);
    expect(list.stderr).toContain(".tapedeck does not exist");
  });

  it.each(["list", "check", "serve", "serve --mode record"])(
    "a file in the folder's place stops %s",
    async (command) => {
      const cwd = aProject();
      writeFileSync(join(cwd, ".tapedeck"), "");

      const { code, stdout, stderr } = await tapedeck(command.split(" "), { cwd });

      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr).toMatch(/\.tapedeck cannot be used: it is not a folder/);
    },
  );

  it.each(["record", "refresh"])(
    "a file on the way to the folder stops %s mode before the first call",
    async (mode) => {
      const cwd = aProject({ file: "" });

      const { code, stdout, stderr } = await tapedeck(["serve", "--mode", mode, "--dir", "file/tapes"], {
        cwd,
      });

      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr).toMatch(/file\/tapes cannot be used: it is not a folder/);
    },
  );

  it.skipIf(!existsSync("/proc/self"))(
    "a folder that cannot be written stops record mode before the first call, and not strict mode (needs Linux)",
    async () => {
      const cwd = aProject();

      const record = await tapedeck(["run", "--mode", "record", "--dir", "/proc/tapes", "--", "true"], {
        cwd,
      });
      const strict = await tapedeck(["run", "--dir", "/proc/tapes", "--", "true"], { cwd });

      expect([record.code, strict.code]).toEqual([1, 0]);
      expect(record.stderr).toMatch(/\/proc\/tapes cannot be used: \/proc cannot be written/);
      expect(record.stderr).toMatch(/--dir/);
    },
  );

  it("leaves no trace of having tried to write", async () => {
    const cwd = aProject();

    await tapedeck(["run", "--mode", "record", "--", process.execPath, "-e", "0"], { cwd });

    expect(readdirSync(cwd)).toEqual([]);
  });
});
