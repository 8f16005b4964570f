import { cpSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { aRecordedProject } from "../recordings.ts";
import { aProject, tapedeck } from "../tapedeck.ts";

describe("tapedeck du", () => {
  const test = { file: "tests/chat.test.ts", name: ["chat", "answers"] };

  it("says how large recordings are, by provider and test, and which are the largest", async () => {
    const { cwd, dir, entries } = await aRecordedProject([
      { text: "Say hi", test },
      { text: "Say more. ".repeat(900), test },
      { text: "Say hi", provider: "anthropic" },
    ]);
    mkdirSync(join(dir, "blobs"), { recursive: true });
    writeFileSync(join(dir, "blobs", "0".repeat(64)), Buffer.alloc(3_000));
    const sizes = entries.map((entry) => statSync(join(dir, entry)).size);
    const [first = 0, second = 0, third = 0] = sizes;

    const { code, stdout } = await tapedeck(["du", "--json"], { cwd });
    const shown = await tapedeck(["du"], { cwd });

    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      bytes: first + second + third + 3_000,
      blobs: { files: 1, bytes: 3_000 },
      providers: [
        { name: "openai", recordings: 2, bytes: first + second },
        { name: "anthropic", recordings: 1, bytes: third },
      ],
      tests: [
        { name: "tests/chat.test.ts chat › answers", bytes: first + second },
        { name: "(no test)", bytes: third },
      ],
    });
    const largest = shown.stdout.slice(shown.stdout.indexOf("Largest")).split("\n")[1];
    expect(largest).toContain(entries[1]);
    expect(shown.stderr).toMatch(/^3 recordings in \.tapedeck: \d+ KB\n$/);
  });

  it("says apart how much came from a team's cache", async () => {
    const { cwd, dir, entries } = await aRecordedProject([{ text: "Say hi" }]);
    const [entry = ""] = entries;
    cpSync(join(dir, "calls"), join(dir, ".local", "team", "calls"), { recursive: true });
    const { size } = statSync(join(dir, entry));

    const { stdout, stderr } = await tapedeck(["du", "--json"], { cwd });

    expect(JSON.parse(stdout)).toMatchObject({ bytes: size, team: { recordings: 1, bytes: size } });
    expect(stderr).toMatch(/^1 recording in \.tapedeck: .*\n1 recording from the team's cache: \d/);
  });

  it("says of a project without recordings that there are none", async () => {
    const { code, stdout, stderr } = await tapedeck(["du"], { cwd: aProject() });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(stderr).toContain("0 recordings in .tapedeck: 0 bytes");
  });
});
