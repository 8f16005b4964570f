import { expect, test } from "vitest";
import { HOSTILE_PYTHON } from "../fixtures/runners/hostile-tests.ts";
import { callsOf, executionsOf, expectRightTests } from "./support/attribution.ts";
import { CALLING_CASES, PYTHON_HELPER } from "./support/calling-python.ts";
import { anyPython, because, missing, python, versionsOf } from "./support/python.ts";
import { oneFile, ranFor, type OneFile } from "./support/run-one.ts";
import { aTemporaryProject } from "./support/scene.ts";

const CLASS_HOOKS = `

class TestShared(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        ask.raw("TestShared", part="all")

    def test_plain(self):
        ask.chat("TestShared", "test_plain")
`;

test.skipIf(missing)(
  `unittest attributes every call to its test, with the official SDKs${because}`,
  async () => {
    const project = aTemporaryProject({
      "llm_helper.py": PYTHON_HELPER,
      "test_a.py": CALLING_CASES + CLASS_HOOKS,
      "test_b.py": CALLING_CASES,
    });

    const calls = await callsOf({ project, command: python, args: ["-m", "unittest", "test_a", "test_b"] });

    const name = `unittest, ${versionsOf(["openai", "anthropic", "google-genai"])}`;
    expectRightTests(calls, { runner: "unittest", name, withoutLine: new Set(["gathered", "thread"]) });
    expect(executionsOf(calls)).toMatchObject({
      "test_a.py: TestCase / test_plain": 1,
      "test_b.py: TestLater / test_plain": 1,
    });
  },
);

const ALL = ["longer", "the one", "twin", "twin two"];

async function expectExactlyOne(one: OneFile): Promise<void> {
  expect(await ranFor(one, "test")).toEqual(["the one"]);
  expect(await ranFor(one, "suite")).toEqual(["twin", "twin two"]);
  expect(await ranFor(one, undefined)).toEqual(ALL);
}

const withoutPytest = { python: anyPython ?? "python3", hasPytest: async () => false };

const IMPORTING = `import beside, inroot\n${HOSTILE_PYTHON}`;

test.skipIf(anyPython === undefined).each([
  [
    "package",
    "tests",
    { "tests/__init__.py": "", "tests/test_a.py": HOSTILE_PYTHON, "tests/test_b.py": HOSTILE_PYTHON },
  ],
  [
    "folder that is no package",
    "my tests",
    {
      "setup.py": "",
      "inroot.py": "",
      "my tests/beside.py": "",
      "my tests/test_a.py": IMPORTING,
      "my tests/test_ab.py": IMPORTING,
    },
  ],
])(
  "unittest runs exactly the test, the class, the file of a %s (needs python3: install Python 3)",
  async (_, folder, files) => {
    const one = await oneFile(aTemporaryProject(files), `${folder}/test_a.py`, withoutPytest);

    expect(one.runner.runner).toBe("unittest");
    await expectExactlyOne(one);
  },
);
