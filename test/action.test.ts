import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
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
interface Job {
  readonly steps: readonly { readonly run?: string }[];
}

/** The job of docs/ci.md that records what a pull request misses. */
function recordingJob(): Job {
  const page = readFileSync(resolve(import.meta.dirname, "../docs/ci.md"), "utf8");
  const block = /```yml\n( *on: \{ pull_request_target[^]*?)```/.exec(page)?.[1] ?? "";
  return (parse(block) as { readonly jobs: { readonly record: Job } }).jobs.record;
}

const hasBash = spawnSync("bash", ["-c", "true"]).status === 0;

/** What the action's step starts, given these inputs. */
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

test.skipIf(!hasBash)(
  "the action runs the command as it was given, and nothing that stands in an input (needs bash)",
  () => {
    const command = 'npm test -- "a b" $(touch hacked); echo "$HOME"';

    const started = startedBy({ command, options: "--require-calls --dir tapes" });

    expect(started.slice(started.indexOf("tapedeck"))).toEqual([
      "tapedeck",
      "run",
      "--mode",
      "strict",
      "--report",
      "github",
      "--missing",
      "tapedeck-missing.jsonl",
      "--require-calls",
      "--dir",
      "tapes",
      "--",
      "bash",
      "-c",
      command,
    ]);
    expect(started.slice(0, 3)).toEqual(["--yes", "--package", "llm-tapedeck@latest"]);
  },
);

test.skipIf(!hasBash)(
  "what a pull request puts beside its list of missing calls is no file of the checkout that records them (needs bash)",
  () => {
    const folder = mkdtempSync(join(tmpdir(), "tapedeck-recipe-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const [programs, checkout] = [join(folder, "bin"), join(folder, "checkout")];
    for (const dir of [programs, checkout]) mkdirSync(dir);
    const program = (name: string, text: string): void =>
      writeFileSync(join(programs, name), `#!/bin/bash\n${text}\n`, { mode: 0o755 });
    program("npm", "true");
    program("npx", 'printf "%s\\n" "$@" > "$RUNNER_TEMP/started"');
    program(
      "gh",
      `[ "$2" = list ] && { echo 7; exit; }
       dir=.; while [ $# -gt 0 ]; do [ "$1" = --dir ] && dir="$2"; shift; done
       mkdir -p "$dir"; touch "$dir/missing.jsonl" "$dir/tapedeck.jsonc"`,
    );
    const env = { SHA: "0".repeat(40), RUNNER_TEMP: folder, PATH: `${programs}:${process.env["PATH"]}` };

    const ended = recordingJob()
      .steps.flatMap(({ run }) => run ?? [])
      .map((run) => spawnSync("bash", ["-e", "-c", run], { cwd: checkout, env }).status);

    expect(ended).toEqual([0, 0, 0, 0]);
    expect(readdirSync(checkout)).toEqual([]);
    const list = readFileSync(join(folder, "started"), "utf8").split("\n")[2] ?? "";
    expect(existsSync(list)).toBe(true);
  },
);
