import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { afterAll, describe, expect, test } from "vitest";
import { pythonWith } from "../../scripts/checks/python-with.mjs";
import { rootDir } from "../../scripts/host/paths.mjs";
import { casesOf } from "../support/cases.ts";
import { program as cli } from "../cli/built-program.ts";

const PACKAGES = ["hatchling", "pytest", "pytest-xdist", "PyYAML", "httpx", "requests", "aiohttp"];
/** Recording, replaying, a miss, and a cassette read in place. The others run with all cases. */
const MAIN = "how_to_record";
const MOST_BYTES = 4 * 1_048_576;

const folder = mkdtempSync(join(tmpdir(), "tapedeck-wheel-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const { interpreter: tools = "", failure } = pythonWith(PACKAGES, "python3");

function run(file: string, args: readonly string[], cwd = folder) {
  const env = { ...process.env, TAPEDECK_DIST: dirname(cli) };
  const { status, stdout, stderr, error } = spawnSync(file, args, { cwd, env, encoding: "utf8" });
  return { status, output: `${stdout}${stderr}${error ?? ""}` };
}

/** A fresh environment that has the wheel, and finds the packages of `tools` behind its own. */
function install(wheel: string): string {
  const fresh = join(folder, "fresh");
  expect(run(tools, ["-m", "venv", "--without-pip", fresh])).toMatchObject({ status: 0 });
  const python = join(fresh, process.platform === "win32" ? "Scripts/python.exe" : "bin/python");
  const paths = (python3: string): string =>
    run(python3, ["-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]).output.trim();
  const packages = paths(python);
  // pip takes a second to do the same for a wheel without compiled parts.
  const pip = ["-m", "pip", "--python", python, "install", "--quiet", "--no-index", "--no-deps", wheel];
  const installing = casesOf({ quick: ["-m", "zipfile", "-e", wheel, packages], long: pip });
  expect(run(tools, installing)).toEqual({ status: 0, output: "" });
  writeFileSync(join(packages, "tools.pth"), `${paths(tools)}\n`);
  return python;
}

const CHECK = "import sys; sys.exit(sys.version_info < (3, 10))";
const isReady = failure === undefined && run(tools, ["-c", CHECK]).status === 0;

describe.skipIf(!isReady)(
  `the wheel for Python (needs Python 3.10 or later with pip install ${PACKAGES.join(" ")})`,
  () => {
    // Each of its tests starts pytest, which takes seconds on a busy machine.
    test(
      "is small, has the version of the npm package, and passes its own tests",
      { timeout: 1_800_000 },
      () => {
        const wheels = join(folder, "wheels");
        mkdirSync(wheels);
        const built = run(
          tools,
          ["-m", "hatchling", "build", "-t", "wheel", "-d", wheels],
          join(rootDir, "python"),
        );
        expect(built.status === 0 ? "" : built.output).toBe("");
        const [wheel = "", ...others] = readdirSync(wheels);
        expect(others).toEqual([]);
        const { version } = JSON.parse(readFileSync(join(rootDir, "package.json"), "utf8")) as {
          version: string;
        };
        expect(wheel).toBe(`llm_tapedeck-${version}-py3-none-any.whl`);
        expect(statSync(join(wheels, wheel)).size).toBeLessThan(MOST_BYTES);
        const python = install(join(wheels, wheel));
        const tests = [
          "-m",
          "pytest",
          "-q",
          "-p",
          "no:cacheprovider",
          "-p",
          "no:anyio",
          // Workers of pytest-xdist cost more than a few tests take.
          ...casesOf({ quick: ["-k", MAIN], long: ["-n", "2"] }),
          join(rootDir, "python", "tests"),
        ];
        const tested = run(python, tests);
        expect(tested.status === 0 ? "" : tested.output).toBe("");
      },
    );
  },
);
