import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import type { VariableChange } from "../../../src/editor/environment/environment-model.ts";
import { writeEnvironment } from "../../../src/editor/environment/environment-text-model.ts";

const changes: readonly VariableChange[] = [
  { name: "TAPEDECK_ROOTS", how: "replace", value: "/it's $HOME `x` \\ here" },
  { name: "NODE_OPTIONS", how: "append", value: '--require="/with space/hook.cjs"', separator: " " },
  { name: "PYTHONPATH", how: "prepend", value: "/hooks", separator: ":" },
];

function inShell(environment: Record<string, string>): string {
  const print = String.raw`printf '%s\n' "$TAPEDECK_ROOTS" "$NODE_OPTIONS" "$PYTHONPATH"`;
  const script = `${writeEnvironment(changes, "bash")}${print}`;
  return execFileSync("sh", ["-c", script], { env: environment, encoding: "utf8", stdio: "pipe" });
}

describe("the lines to copy", () => {
  it.skipIf(process.platform === "win32")(
    "set in a shell exactly the values, with nothing to add to (needs sh)",
    () => {
      const lines = inShell({}).split("\n");

      expect(lines).toEqual(["/it's $HOME `x` \\ here", '--require="/with space/hook.cjs"', "/hooks", ""]);
    },
  );

  it.skipIf(process.platform === "win32")("keep what the shell has (needs sh)", () => {
    const lines = inShell({ NODE_OPTIONS: "--inspect", PYTHONPATH: "/mine" }).split("\n");

    expect(lines.slice(1, 3)).toEqual(['--inspect --require="/with space/hook.cjs"', "/hooks:/mine"]);
  });

  it("are quoted for PowerShell and keep its values", () => {
    const lines = writeEnvironment(changes, "powershell").split("\n");

    expect(lines).toEqual([
      "$env:TAPEDECK_ROOTS = '/it''s $HOME `x` \\ here'",
      "$env:NODE_OPTIONS = ($env:NODE_OPTIONS, '--require=\"/with space/hook.cjs\"' -ne $null) -join ' '",
      "$env:PYTHONPATH = ('/hooks', $env:PYTHONPATH -ne $null) -join ':'",
      "",
    ]);
  });

  it("are quoted for a .env file", () => {
    const [roots, options] = writeEnvironment(changes, "dotenv").split("\n");

    expect(roots).toBe(String.raw`TAPEDECK_ROOTS="/it's $HOME ` + "`x`" + String.raw` \\ here"`);
    expect(options).toBe(String.raw`NODE_OPTIONS="--require=\"/with space/hook.cjs\""`);
  });
});
