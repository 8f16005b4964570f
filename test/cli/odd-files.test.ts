import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeOdd, ODD_FILES } from "../support/odd-files.ts";
import { aRecordedProject } from "./recordings.ts";
import { aProject, tapedeck } from "./tapedeck.ts";

const TEST = { file: "chat.test.ts", name: ["chat", "says hi"] };

/** All that a foreign folder can put in the place of something that is read, relative to the project. */
const PLACES = [
  "tapedeck.jsonc",
  ".tapedeck/.local/usage.json",
  ".tapedeck/.local/candidates.json",
  ".tapedeck/.local/keys.json",
  ".tapedeck/.local/facts.jsonl",
  `.tapedeck/blobs/${"ab".repeat(32)}`,
  `.tapedeck/calls/openai/ab/${"ab".repeat(32)}.json`,
  "chat.test.ts",
];

describe.skipIf(process.platform === "win32")("in a foreign folder (Windows has no such files)", () => {
  it.each(Object.keys(ODD_FILES))("%s in the place of any file blocks no command", async (kind) => {
    const { cwd } = await aRecordedProject([{ text: "Say hi", test: TEST }]);
    for (const place of PLACES) await makeOdd(kind, join(cwd, place));

    const list = await tapedeck(["list"], { cwd });
    const check = await tapedeck(["check", "--json"], { cwd });
    const run = await tapedeck(["run", "--", process.execPath, "-e", ""], { cwd });
    const imported = await tapedeck(["import", "tapedeck.jsonc"], { cwd });

    expect([list.code, list.signal]).toEqual([0, null]);
    expect(JSON.parse(check.stdout)).toMatchObject({
      findings: expect.arrayContaining([
        expect.objectContaining({ rule: "config", entry: "../tapedeck.jsonc" }),
      ]),
    });
    expect([run.code, run.signal]).toEqual([0, null]);
    expect([imported.code, imported.signal]).not.toEqual([0, null]);
  });

  it("a cassette folder that links out of the repository is used only if it is named", async () => {
    const cwd = aProject({ "out/kept.txt": "" });
    mkdirSync(join(cwd, "repo", ".git"), { recursive: true });
    mkdirSync(join(cwd, "repo", "recordings"));
    const inRepo = { cwd: join(cwd, "repo") };
    const link = join(cwd, "repo", ".tapedeck");
    symlinkSync("../out", link);

    const commands = [
      ["list"],
      ["check"],
      ["prune"],
      ["run", "--", "true"],
      ["import", "."],
      ["export", "--to", "har"],
    ];
    const refused = await Promise.all(commands.map((command) => tapedeck(command, inRepo)));
    const named = await tapedeck(["list", "--dir", ".tapedeck"], inRepo);
    rmSync(link);
    symlinkSync("recordings", link);
    const inside = await tapedeck(["list"], inRepo);

    for (const { code, stderr } of refused) {
      expect(stderr).toContain(`a link out of the project, to ${join(cwd, "out")}`);
      expect(code).not.toBe(0);
    }
    expect(readdirSync(join(cwd, "out"))).toEqual(["kept.txt"]);
    expect([named.code, inside.code]).toEqual([0, 0]);
  });

  it("a tapedeck.jsonc that links to a file of the same repository counts, and one that leads out does not", async () => {
    const cwd = aProject({
      "all.jsonc": '{ "repeats": "wrong" }',
      "out/all.jsonc": '{ "repeats": "wrong" }',
    });
    for (const name of ["one", "two"]) mkdirSync(join(cwd, "repo", name, ".tapedeck"), { recursive: true });
    mkdirSync(join(cwd, "repo", ".git"));
    writeFileSync(join(cwd, "repo", "all.jsonc"), '{ "repeats": "wrong" }');
    symlinkSync("../all.jsonc", join(cwd, "repo", "one", "tapedeck.jsonc"));
    symlinkSync("../../out/all.jsonc", join(cwd, "repo", "two", "tapedeck.jsonc"));

    const inside = await tapedeck(["check"], { cwd: join(cwd, "repo", "one") });
    const outside = await tapedeck(["check"], { cwd: join(cwd, "repo", "two") });

    expect(inside.stdout).toMatch(/tapedeck\.jsonc:1:14/);
    expect(outside.stdout).toMatch(/a link out of the project/);
    expect(outside.stdout).not.toMatch(/repeats/);
  });
});
