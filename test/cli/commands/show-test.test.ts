import { join } from "node:path";
import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { aRecordedProject } from "../recordings.ts";
import { tapedeck } from "../tapedeck.ts";

const demo = join(import.meta.dirname, "../../../demo/workspace");
const ORDER = "replies › looks the order up before it answers";

describe("show --test", () => {
  it("reads a test as one conversation: each message once, a tool with what it gave, the answers numbered", async () => {
    const { code, stdout } = await tapedeck(["show", "--test", `tests/replies.test.ts › ${ORDER}`], {
      cwd: demo,
    });

    expect(code).toBe(0);
    const lines = stdout.split("\n");
    expect(lines[0]).toBe(`tests/replies.test.ts:20  ${ORDER}`);
    expect(lines[1]).toMatch(/^2 calls · gpt-4o-mini · 318 in, 32 out · about \$/u);
    expect(stdout.split("Where is my order A-1042?")).toHaveLength(2);
    expect(lines).toContain(
      'look_up_order({"order_id":"A-1042"}) → {"status":"shipped","carrier":"DHL","arrives":"on Friday"}',
    );
    expect(lines.filter((line) => /^── \d assistant/u.test(line))).toHaveLength(2);
  });

  it("gives its turns to programs", async () => {
    const { stdout } = await tapedeck(["show", "--json", "--test", "looks the order up before it answers"], {
      cwd: demo,
    });

    expect(JSON.parse(stdout)).toEqual({
      test: { file: "tests/replies.test.ts", name: ORDER.split(" › ") },
      conversations: [
        {
          turns: [
            expect.objectContaining({ number: 1, answered: "look_up_order(A-1042)", model: "gpt-4o-mini" }),
            expect.objectContaining({
              number: 2,
              answered: expect.stringMatching(/^"Here is what I found/u) as string,
            }),
          ],
          branches: [],
        },
      ],
    });
  });

  it("says how a test is named where none or several fit", async () => {
    const none = await tapedeck(["show", "--test", "looks"], { cwd: demo });
    const several = await tapedeck(["show", "--test", "tests/replies.test.ts"], { cwd: demo });

    expect([none.code, several.code]).toEqual([1, 1]);
    expect(none.stderr).toMatch(/No test with recordings is called "looks"\.[^]*tapedeck list --tests/u);
    expect(several.stderr).toContain(`fits several tests: "tests/replies.test.ts › replies › drafts`);
  });

  it("says of a recording that cannot be read why, and shows the others", async () => {
    const test = { file: "tests/chat.test.ts", name: ["answers"] };
    const { cwd, dir, entries } = await aRecordedProject([
      { text: "Say hi", test },
      { text: "Say bye", test },
    ]);
    // It was seen in use, so that it is known whose it is.
    writeFileSync(join(dir, entries[1] ?? ""), "{ cut");

    const { stdout } = await tapedeck(["show", "--test", "tests/chat.test.ts › answers"], { cwd });

    expect(stdout).toContain("Say hi");
    expect(stdout).toMatch(/cannot be read/u);
  });
});
