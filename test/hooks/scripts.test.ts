import { writeFileSync } from "node:fs";
import { delimiter } from "node:path";
import { describe, expect, test } from "vitest";
import { createHookEnvironment } from "../../src/hooks/environment.ts";
import { aHookedProject, hooksDir, hooksFor, toldOf } from "../fixtures/runners/hooked.ts";
import { run } from "../fixtures/runners/project.ts";
import { hasPython, NEEDS_PYTHON } from "../support/python.ts";

// Each test starts several programs, on machines that may be busy.

const ASK = `export const ask = async () => { const reply = await fetch(process.env.TAPEDECK_URL); return reply.text(); };
`;
const SCRIPT = `import { ask } from "../src/ask.mjs";
await ask();
await Promise.all([ask(), ask()]);
`;
const EXECUTION = expect.any(String) as string;
const AT = { file: "src/ask.mjs", line: 1 };

describe("a program of Node that no test runner runs", () => {
  // Each row has the files, the arguments of Node, and the source of its first call's name.
  test.each([
    [
      "is named by its script, with the line that led to the call and where it was made",
      { "src/ask.mjs": ASK, "bin/ask all.mjs": SCRIPT },
      ["bin/ask all.mjs"],
      { file: "bin/ask all.mjs", name: [], line: 2, execution: EXECUTION, at: AT },
    ],
    [
      "is named by its script, not by the helper, when the stack does not reach it",
      {
        "ask.cjs": "exports.later = () => setTimeout(() => fetch(process.env.TAPEDECK_URL), 1);",
        "main.js": 'require("./ask.cjs").later();',
      },
      ["main"],
      { file: "main.js", name: [], execution: EXECUTION, at: { file: "ask.cjs", line: 1 } },
    ],
    [
      "is named by the workspace's own part when an installed tool runs it",
      {
        "node_modules/tool/cli.mjs":
          'import { pathToFileURL } from "node:url"; await import(pathToFileURL(process.argv[2]));',
        "src/ask.mjs": ASK,
        "app/routes.mjs": SCRIPT,
      },
      ["node_modules/tool/cli.mjs", "app/routes.mjs"],
      { file: "app/routes.mjs", name: [], line: 2, execution: EXECUTION, at: AT },
    ],
    [
      "has no file at a prompt, and is reported as such",
      {},
      ["-e", "fetch(process.env.TAPEDECK_URL)"],
      { file: "<node>", name: [], execution: EXECUTION },
    ],
    [
      "that nothing of the workspace takes part in has no name",
      { "node_modules/tool/cli.mjs": "fetch(process.env.TAPEDECK_URL)" },
      ["node_modules/tool/cli.mjs"],
      undefined,
    ],
  ])("%s", async (_, files, args, first) => {
    expect((await toldOf(files, process.execPath, args))[0]).toEqual(first);
  });

  test.each(["node_modules/tool/cli.mjs", "build/server.mjs"])(
    "is named by the file of the test that starts it: %s",
    async (program) => {
      const { project, server } = await aHookedProject({
        [program]: "await fetch(process.env.TAPEDECK_URL);",
        "a.test.mjs": `import { spawn } from "node:child_process";
import { before, test } from "node:test";
before((_, done) => void spawn(process.execPath, ["${program}"]).on("close", () => done()));
test("does nothing", () => {});`,
      });
      const guard = { hosts: [], plain: [], calls: "" };
      const options = { hooksDir, url: server.url, roots: [project.dir], delimiter, base: {}, guard };

      const command = { command: process.execPath, args: ["--test", "a.test.mjs"], cwd: project.dir };
      await run(command, createHookEnvironment(options));

      expect(server.calls.map((call) => call.test)).toMatchObject([
        { file: "a.test.mjs", name: [], execution: EXECUTION },
      ]);
    },
  );

  test("has one execution for all its calls, and the line of each", async () => {
    const told = await toldOf(
      { "src/ask.mjs": ASK, "app.mjs": SCRIPT.replace("..", ".") },
      process.execPath,
      ["app.mjs"],
    );

    expect(told.map((one) => one?.line)).toEqual([2, 3, 3]);
    expect(new Set(told.map((one) => one?.execution)).size).toBe(1);
  });
});

const ASK_PY = `import os, urllib.request
def ask():
    return urllib.request.urlopen(os.environ["TAPEDECK_URL"]).read()
`;
const SCRIPT_PY = `import threading
from pkg.asking import ask
ask()
thread = threading.Thread(target=ask)
thread.start()
thread.join()
`;

describe.skipIf(!hasPython)(`a program of Python that no test runner runs ${NEEDS_PYTHON}`, () => {
  test.each([
    [["run.py"], "run.py"],
    [["-m", "pkg.run"], "pkg/run.py"],
  ])("is named by its script or module: python %j", async (args, file) => {
    const told = await toldOf(
      { "pkg/__init__.py": "", "pkg/asking.py": ASK_PY, "run.py": SCRIPT_PY, "pkg/run.py": SCRIPT_PY },
      "python3",
      args,
    );

    expect(told).toMatchObject([
      { file, name: [], line: 3, execution: EXECUTION, at: { file: "pkg/asking.py", line: 3 } },
      { file, name: [], execution: EXECUTION },
    ]);
  });

  test("is named by the workspace's own part when a tool of an environment in it runs it", async () => {
    const { project, server } = await aHookedProject({ "pkg/__init__.py": "", "pkg/asking.py": ASK_PY });
    await run({ command: "python3", args: ["-m", "venv", "--without-pip", "env"], cwd: project.dir });
    const python = project.path(process.platform === "win32" ? "env/Scripts/python.exe" : "env/bin/python");
    const tool = project.path("env/tool.py");
    writeFileSync(tool, "from pkg.asking import ask; ask()");

    const env = {
      ...hooksFor(project, server.url),
      PYTHONPATH: `${hooksFor(project, server.url)["PYTHONPATH"]}:${project.dir}`,
    };
    await run({ command: python, args: [tool], cwd: project.dir }, env);

    expect(server.calls.map((call) => call.test)).toMatchObject([
      { file: "pkg/asking.py", line: 3, name: [] },
    ]);
  });

  test("has no file at a prompt, and is reported as such", async () => {
    const told = await toldOf({ "asking.py": ASK_PY }, "python3", [
      "-c",
      'import os, urllib.request; urllib.request.urlopen(os.environ["TAPEDECK_URL"]).read()',
    ]);

    expect(told).toEqual([{ file: "<python>", name: [], execution: EXECUTION }]);
  });
});
