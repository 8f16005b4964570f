import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>;
  readonly runs: {
    readonly steps: readonly { readonly env: Readonly<Record<string, string>>; readonly run: string }[];
  };
}

const action = parse(readFileSync(resolve(import.meta.dirname, "../action.yml"), "utf8")) as Action;

const hasBash = spawnSync("bash", ["-c", "true"]).status === 0;

/** Returns the command line that the action's step starts with these inputs. */
function startedBy(inputs: Readonly<Record<string, string>>): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), "tapedeck-action-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [step] = action.runs.steps;
  writeFileSync(join(folder, "npx"), '#!/bin/bash\nprintf "%s\\n" "$@"\n');
  chmodSync(join(folder, "npx"), 0o755);
  const values = Object.entries(step?.env ?? {}).map(([variable, value]) => {
    const name = /^\$\{\{ inputs\.(\w+) \}\}$/.exec(value)?.[1] ?? "";
    return [variable, inputs[name] ?? action.inputs[name]?.default ?? ""];
  });
  const env = { ...Object.fromEntries(values), PATH: `${folder}:${process.env["PATH"]}` };
  const { stdout } = spawnSync("bash", ["-e", "-c", step?.run ?? ""], { cwd: folder, env, encoding: "utf8" });
  return stdout.trimEnd().split("\n");
}

test.skipIf(!hasBash)("the action runs the given command, and nothing inside an input (needs bash)", () => {
  const command = 'npm test -- "a b" $(touch hacked); echo "$HOME"';

  const started = startedBy({ command, options: "--require-calls --dir tapes" });

  expect(started.slice(started.indexOf("tapedeck"))).toEqual([
    "tapedeck",
    "run",
    "--mode",
    "strict",
    "--report",
    "github",
    "--require-calls",
    "--dir",
    "tapes",
    "--",
    "bash",
    "-c",
    command,
  ]);
  expect(started.slice(0, 3)).toEqual(["--yes", "--package", "llm-tapedeck@latest"]);
});
