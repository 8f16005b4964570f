import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { aRecordedProject, say } from "../recordings.ts";
import { serving, tapedeck } from "../tapedeck.ts";
import { filesBelow } from "../../support/files-below.ts";

const DATES = '{\n  // days\n  "normalize": [{ "replace": "$isoDate" }],\n}\n';

const names = (dir: string) => filesBelow(dir).filter((path) => path.startsWith("calls/"));

describe("check, with rules in tapedeck.jsonc", () => {
  it("names what is named by another key, and --fix renames it; comments and notes stay", async () => {
    const { cwd, dir, entries } = await aRecordedProject([{ text: "It is 2026-01-02." }, { text: "Hi" }]);
    const [dated = "", plain = ""] = entries;
    writeFileSync(join(cwd, "tapedeck.jsonc"), DATES);
    writeFileSync(join(dir, dated), `// mine\n${readFileSync(join(dir, dated), "utf8")}`);

    const before = await tapedeck(["check"], { cwd });
    const fixed = await tapedeck(["check", "--fix"], { cwd });
    const served = await serving(["--mode", "strict"], { cwd });
    const entry = await say(served.ready.url, cwd, { text: "It is 2027-12-31." });
    const after = names(dir);

    expect(before.code).toBe(1);
    expect(before.stdout).toContain(`.tapedeck/${dated}:1:1: error: The rules changed. Under them, the key`);
    expect(fixed.stderr).toMatch(/^renamed \.tapedeck\/calls\S+ → \.tapedeck\/calls\S+\n/);
    expect([fixed.code, fixed.stdout]).toEqual([0, ""]);
    expect(after).toContain(plain);
    expect(after).not.toContain(dated);
    expect(after).toContain(entry);
    expect(readFileSync(join(dir, entry), "utf8")).toMatch(/^\/\/ mine\n.*"key": "sha256:/s);

    writeFileSync(join(cwd, "tapedeck.jsonc"), "{}");
    const back = await tapedeck(["check", "--fix"], { cwd });
    const cleared = await tapedeck(["check", "--fix"], { cwd });

    expect([back.code, cleared.stderr]).toEqual([0, expect.stringMatching(/^2 recordings/)]);
    expect(names(dir)).toEqual([...entries].sort());
  });

  it("refuses to rename two requests to one name, and names both", async () => {
    const { cwd, dir, entries } = await aRecordedProject([
      { text: "It is 2026-01-02." },
      { text: "It is 2026-01-03." },
    ]);
    writeFileSync(join(cwd, "tapedeck.jsonc"), DATES);

    const { code, stdout } = await tapedeck(["check", "--fix"], { cwd });

    expect(code).toBe(1);
    for (const entry of entries) expect(stdout).toContain(entry);
    expect(stdout.match(/The rules treat it and calls\/openai/g)).toHaveLength(2);
    expect(names(dir)).toEqual([...entries].sort());

    rmSync(join(dir, entries[0] ?? ""));
    const fixed = await tapedeck(["check", "--fix"], { cwd });

    expect([fixed.code, fixed.stdout]).toEqual([0, ""]);
  });

  it("distinguishes an edit from a change of the rules", async () => {
    const { cwd, dir, entries } = await aRecordedProject([{ text: "It is 2026-01-02." }, { text: "Hi" }]);
    writeFileSync(join(cwd, "tapedeck.jsonc"), DATES);
    await tapedeck(["check", "--fix"], { cwd });
    const hi = join(dir, entries[1] ?? "");
    writeFileSync(hi, readFileSync(hi, "utf8").replace('"Hi"', '"It is 2026-01-02."'));

    const { code, stdout } = await tapedeck(["check"], { cwd });

    expect(code).toBe(1);
    expect(stdout).toMatch(new RegExp(`${entries[1]}:1:1: error: It was edited`));
  });

  it("locates a broken file, and every command continues without it", async () => {
    const { cwd } = await aRecordedProject([{ text: "Hi" }]);
    writeFileSync(join(cwd, "tapedeck.jsonc"), '{\n  "upstreams": { "openai": "https://evil.example" }\n}');

    const checked = await tapedeck(["check"], { cwd });
    const fixing = await tapedeck(["check", "--fix"], { cwd });
    const listed = await tapedeck(["list"], { cwd });
    const served = await serving(["--mode", "strict"], { cwd });
    await say(served.ready.url, cwd, { text: "Hi" });
    const { stderr } = await served.end();

    expect(checked.code).toBe(1);
    expect(checked.stdout).toMatch(/^tapedeck\.jsonc:2:16: error: "upstreams" is not allowed here/i);
    expect(fixing.code).toBe(2);
    expect(listed.stderr).toContain("warning: tapedeck.jsonc:2:16:");
    expect(stderr).toContain("tapedeck.jsonc:2:16:");
    expect(stderr).toMatch(/replayed/);
  });
});
