import { delimiter } from "node:path";
import { describe, expect, test } from "vitest";
import { aHookedProject, hooksDir, hooksFor } from "../fixtures/runners/hooked.ts";
import { run } from "../fixtures/runners/project.ts";
import { aStandIn, type Arrived } from "../fixtures/runners/stand-in.ts";
import { hasPython, NEEDS_PYTHON } from "../support/python.ts";

// Each test starts several programs, on machines that may be busy.

/** A project whose programs are run by Python with the hooks in it. */
async function aPythonProject(files: Readonly<Record<string, string>>) {
  const { project, server } = await aHookedProject(files);
  const environment = (base: Readonly<Record<string, string>> = {}): Record<string, string> => ({
    ...base,
    ...hooksFor(project, server.url, base),
    SERVER_URL: server.url,
  });
  const python = async (args: readonly string[], env = environment()): Promise<string> => {
    const { output, code } = await run({ command: "python3", args, cwd: project.dir }, env);
    if (code !== 0) throw new Error(output);
    return output;
  };
  return { project, server, environment, python };
}

/** Returns the calls whose own text and header name different tests. */
function mistold(calls: readonly Arrived[]): readonly string[] {
  return calls
    .map(({ said, test: told }) => [JSON.stringify(JSON.parse(said)), JSON.stringify(told?.name)])
    .filter(([said, told]) => said !== told)
    .map((pair) => pair.join(" told as "));
}

/** The same with the official SDKs, and pytest, is in test/runners. */
const CALLING_PYTHON = `import asyncio, json, os, threading, unittest, urllib.request
def ask(*path):
    request = urllib.request.Request(os.environ["SERVER_URL"] + "/openai/v1/x", data=json.dumps(path).encode())
    urllib.request.urlopen(request).read()
async def later(*path):
    await asyncio.sleep(0)
    await asyncio.get_running_loop().run_in_executor(None, lambda: None)
    ask(*path)
class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls): ask("Case")
    def setUp(self): ask("Case", self._testMethodName)
    def test_plain(self): ask("Case", "test_plain")
    def test_thread(self):
        thread = threading.Thread(target=ask, args=("Case", "test_thread"))
        thread.start()
        thread.join()
class Later(unittest.IsolatedAsyncioTestCase):
    async def test_async(self):
        await asyncio.gather(later("Later", "test_async"), later("Later", "test_async"))
`;

const FORKING_PYTHON = `import json, multiprocessing, os, unittest, urllib.request
def ask(said):
    request = urllib.request.Request(os.environ["SERVER_URL"] + "/openai/v1/x", data=json.dumps(said).encode())
    urllib.request.urlopen(request).read()
class Case(unittest.TestCase):
    @classmethod
    def tearDownClass(cls): cls.pool.terminate()
    def test_1_starts_the_pool(self):
        type(self).pool = multiprocessing.get_context("fork").Pool(1)
        self.pool.apply(ask, ("one",))
    def test_2_uses_it(self): self.pool.apply(ask, ("two",))
`;

const SAYS = `import sys
sys.hidden = True
`;
const SHOWS = `import os, sys, urllib.request
print("hidden", getattr(sys, "hidden", False), os.path.basename(os.path.dirname(sys.modules["sitecustomize"].__file__)))
print("ours", "tapedeck_hooks" in sys.modules, sys.path.count(os.getcwd()), os.environ["PYTHONPATH"].endswith(os.pathsep))
`;

/** Ends with the modules that the hooks loaded before, and those of ours after an import of its first argument. */
const LOADS = `import sys
before = sorted(sys.modules)
__import__(sys.argv[1])
print(" ".join(before), *sorted(name for name in sys.modules if name.startswith("tapedeck_")), sep="|")
`;

describe.skipIf(!hasPython)(`calls from Python's standard library ${NEEDS_PYTHON}`, () => {
  test("unittest: every call is attributed to its test: threads, tasks, hooks of tests and of classes", async () => {
    const { server, python } = await aPythonProject({ "test_calls.py": CALLING_PYTHON });

    await python(["-m", "unittest", "test_calls"]);

    expect(mistold(server.calls)).toEqual([]);
    expect(server.calls).toHaveLength(1 + 2 * 2 + 2);
    expect(new Set(server.calls.map((call) => call.test?.execution)).size).toBe(4);
    const plain = server.calls.findLast(({ said }) => said.includes("test_plain"))?.test;
    expect(plain).toMatchObject({
      file: "test_calls.py",
      line: 13,
      at: { line: 4 },
      id: "test_calls.Case.test_plain",
    });
  });

  test.skipIf(process.platform === "win32")(
    "a process that a test forked makes calls of this test, and of no test after its end",
    async () => {
      const { server, python } = await aPythonProject({ "test_calls.py": FORKING_PYTHON });

      await python(["-m", "unittest", "test_calls"]);

      expect(server.calls.map(({ said, test: told }) => [said, told?.file, told?.name])).toEqual([
        ['"one"', "test_calls.py", ["Case", "test_1_starts_the_pool"]],
        ['"two"', "test_calls.py", []],
      ]);
    },
  );

  test("a sitecustomize of the user's own still runs, with an address or without; two of ours do not call each other for ever", async () => {
    const { project, environment, python } = await aPythonProject({
      "mine/sitecustomize.py": SAYS,
      "show.py": SHOWS,
    });
    const mine = project.path("mine");
    const path = [`${hooksDir}/python`, `${hooksDir}/./python`, mine].join(delimiter);
    const { TAPEDECK_URL: _url, ...without } = environment({ PYTHONPATH: mine });

    const output = await python(["show.py"], { ...environment(), PYTHONPATH: path });
    const untouched = await python(["show.py"], without);

    expect(output).toMatch(/hidden True mine\nours True/);
    expect(untouched).toMatch(/hidden True mine\nours False/);
  });

  test("the empty entry that a terminal's prepended PYTHONPATH leaves is taken away", async () => {
    const { environment, python } = await aPythonProject({ "sub/show.py": SHOWS });
    const env = { ...environment(), PYTHONPATH: `${hooksDir}/python${delimiter}` };

    const output = await python(["sub/show.py"], env);

    expect(output).toContain("ours True 0 False");
  });

  test("a process without calls loads one file of the hooks, and no other module", async () => {
    const { environment, python } = await aPythonProject({ "loads.py": LOADS });
    const guarded = { ...environment(), TAPEDECK_GUARD: '{"v":1,"hosts":["api.openai.com"]}' };

    const [before, ...ours] = (await python(["loads.py", "json"], guarded)).trim().split("|");
    const [plain] = (await python(["loads.py", "json"], { ...guarded, PYTHONPATH: "" })).trim().split("|");
    const [, ...ofSockets] = (await python(["loads.py", "socket"], guarded)).trim().split("|");

    const known = new Set([...(plain ?? "").split(" "), "sitecustomize", "tapedeck_hooks"]);
    expect((before ?? "").split(" ").filter((name) => !known.has(name))).toEqual([]);
    expect(ours).toEqual(["tapedeck_hooks"]);
    expect(ofSockets).toContain("tapedeck_guard");
  });

  test("an invalid address, or hooks that cannot be imported, leave the program unchanged", async () => {
    const { environment, python } = await aPythonProject({ "show.py": 'print("ran")\n' });

    const output = await python(["show.py"], {
      ...environment(),
      TAPEDECK_URL: "nonsense",
      TAPEDECK_ROOTS: "",
    });

    expect(output).toBe("ran\n");
  });

  test("requests to other servers get no header", async () => {
    const other = await aStandIn(() => []);
    const { server, python } = await aPythonProject({
      "script.py": `import os, urllib.request\nfor url in [os.environ["SERVER_URL"], ${JSON.stringify(other.url)}]: urllib.request.urlopen(url).read()\n`,
    });

    await python(["script.py"]);
    await other.close();

    expect(server.calls.map((call) => call.test?.file)).toEqual(["script.py"]);
    expect(other.calls.map((call) => call.header)).toEqual([undefined]);
  });
});
