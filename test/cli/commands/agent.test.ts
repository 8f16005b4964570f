import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { logAction } from "../../../src/agent/agent-log.ts";
import { asPlatform } from "../../support/as-platform.ts";
import { aProject, tapedeck } from "../tapedeck.ts";

const WHEEL = "site-packages/tapedeck/program/dist/cli.js";
const SKILLS = [".agents/skills/tapedeck/SKILL.md", ".claude/skills/tapedeck/SKILL.md"];

describe("tapedeck agent init", () => {
  it.each([
    ["node_modules/llm-tapedeck/dist/cli.js", {}, "npx tapedeck run", ["npx", "--no", "tapedeck", "mcp"]],
    [WHEEL, {}, "`tapedeck run", ["tapedeck", "mcp"]],
    [
      WHEEL,
      { TAPEDECK_COMMAND: "uv run tapedeck" },
      "`uv run tapedeck run",
      ["uv", "run", "tapedeck", "mcp"],
    ],
    [WHEEL, { TAPEDECK_COMMAND: "/envs/a/bin/tapedeck" }, "`tapedeck run", ["/envs/a/bin/tapedeck", "mcp"]],
  ])(
    "of %s with %o writes the skill where agents look, points AGENTS.md to it once, and prints the MCP configuration",
    async (program, env, run, [command, ...args]) => {
      const cwd = aProject({ "AGENTS.md": "# Rules\n\nBe kind.\n" });

      const first = await tapedeck(["agent", "init"], { cwd, program, env });
      await tapedeck(["agent", "init"], { cwd, program, env });

      const [one, other] = SKILLS.map((path) => readFileSync(join(cwd, path), "utf8"));
      const rules = readFileSync(join(cwd, "AGENTS.md"), "utf8");
      expect(first.code).toBe(0);
      expect(one).toContain("name: tapedeck");
      expect(one).toContain(run);
      expect(other).toBe(one);
      expect(rules.startsWith("# Rules\n\nBe kind.\n")).toBe(true);
      expect(rules.match(/SKILL\.md/g)).toHaveLength(1);
      expect(JSON.parse(first.stdout)).toEqual({
        mcpServers: { tapedeck: { command, args } },
      });
    },
  );

  it.each([
    ["node_modules/llm-tapedeck/dist/cli.js", "cmd", ["/c", "npx", "--no", "tapedeck", "mcp"]],
    [WHEEL, "tapedeck", ["mcp"]],
  ])("of %s on Windows prints a command that starts without a shell", async (program, command, args) => {
    const cwd = aProject();
    asPlatform("win32");

    const { stdout } = await tapedeck(["agent", "init"], { cwd, program });

    expect(JSON.parse(stdout)).toEqual({ mcpServers: { tapedeck: { command, args } } });
  });

  it("creates no AGENTS.md, and keeps an edited skill unless --force is given", async () => {
    const cwd = aProject({ [SKILLS[0] ?? ""]: "mine" });

    const kept = await tapedeck(["agent", "init"], { cwd });
    const before = readFileSync(join(cwd, SKILLS[0] ?? ""), "utf8");
    await tapedeck(["agent", "init", "--force"], { cwd });

    expect(kept.stderr).toContain(`${SKILLS[0]} was edited, so it was kept.`);
    expect(before).toBe("mine");
    expect(readFileSync(join(cwd, SKILLS[0] ?? ""), "utf8")).toContain("name: tapedeck");
    expect(existsSync(join(cwd, "AGENTS.md"))).toBe(false);
  });

  it.each([".agents", ".agents/skills"])(
    "writes nothing if %s is a link out of the project",
    async (link) => {
      const [cwd, outside] = [aProject(), aProject()];
      mkdirSync(dirname(join(cwd, link)), { recursive: true });
      symlinkSync(outside, join(cwd, link));

      const { code, stderr } = await tapedeck(["agent", "init"], { cwd });

      expect(code).toBe(1);
      expect(stderr).toContain("it is a link out of the project");
      expect(readdirSync(outside)).toEqual([]);
    },
  );
});

it("tapedeck agent log shows actions, who agreed, and what they cost", async () => {
  const cwd = aProject();
  const empty = await tapedeck(["agent", "log"], { cwd });
  mkdirSync(join(cwd, ".tapedeck"));
  const about = { client: "an agent\u001b[31m", tool: "tapedeck_record", subject: "a.test.ts › greets" };
  const at = Date.UTC(2026, 0, 2, 3, 4);
  await logAction(join(cwd, ".tapedeck"), {
    ...about,
    at,
    outcome: "done",
    agreed: "person",
    calls: 2,
    costUsd: 0.01,
  });
  await logAction(join(cwd, ".tapedeck"), { ...about, at, outcome: "refused" });

  const shown = await tapedeck(["agent", "log"], { cwd });
  const json = await tapedeck(["agent", "log", "--json"], { cwd });
  writeFileSync(join(cwd, ".tapedeck", ".local", "agents.json"), '[1, {"at": "x"}]');
  const broken = await tapedeck(["agent", "log"], { cwd });

  expect(empty.stderr).toBe("Agents have done nothing here yet.\n");
  expect(shown.stdout.split("\n")).toEqual([
    "2026-01-02 03:04 an agent␛[31m tapedeck_record a.test.ts › greets done you agreed 2 calls, $0.010",
    "2026-01-02 03:04 an agent␛[31m tapedeck_record a.test.ts › greets refused",
    "",
  ]);
  expect(JSON.parse(json.stdout)).toHaveLength(2);
  expect(broken.code).toBe(0);
});

it("tapedeck mcp takes a cost limit only with a limit of calls", async () => {
  const { code, stderr } = await tapedeck(["mcp", "--max-cost", "1"], { cwd: aProject() });

  expect(code).toBe(2);
  expect(stderr).toContain("--max-cost needs --max-calls");
});
