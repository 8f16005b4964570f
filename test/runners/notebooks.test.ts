import { expect, test } from "vitest";
import { because, missing, python } from "./support/python.ts";
import { toldOf } from "../fixtures/runners/hooked.ts";

const ASKING = `import os, urllib.request
def ask():
    urllib.request.urlopen(os.environ["TAPEDECK_URL"]).read()
`;

function notebookOf(cells: readonly string[]): string {
  const title = { cell_type: "markdown", id: "title", metadata: {}, source: "# Asking" };
  const code = cells.map((source, at) => ({
    cell_type: "code",
    id: `cell${at}`,
    metadata: {},
    execution_count: null,
    outputs: [],
    source,
  }));
  const kernelspec = { name: "python3", display_name: "Python 3", language: "python" };
  return JSON.stringify({
    cells: [title, ...code],
    metadata: { kernelspec },
    nbformat: 4,
    nbformat_minor: 5,
  });
}

const CELLS = ["from asking import ask", "ask()", "print('no call')", "for _ in range(2):\n    ask()"];

test.skipIf(missing)(
  `jupyter nbconvert --execute: each call is attributed to its cell${because}`,
  async () => {
    const told = await toldOf({ "work/asking.py": ASKING, "work/report.ipynb": notebookOf(CELLS) }, python, [
      "-m",
      "nbconvert",
      "--to",
      "notebook",
      "--execute",
      "--stdout",
      "work/report.ipynb",
    ]);

    expect(told).toMatchObject([
      {
        file: "work/report.ipynb",
        name: ["cell 2"],
        runner: "notebook",
        at: { file: "work/asking.py", line: 3 },
      },
      { file: "work/report.ipynb", name: ["cell 4"] },
      { file: "work/report.ipynb", name: ["cell 4"] },
    ]);
    // The line of a cell is no line of its file.
    expect(told.map((one) => one?.line)).toEqual([undefined, undefined, undefined]);
    expect(new Set(told.map((one) => one?.execution)).size).toBe(2);
  },
);

/** Runs notebooks as tests of pytest, as nbmake does. */
const CONFTEST = `import nbformat, pytest
from nbclient import NotebookClient
def pytest_collect_file(file_path, parent):
    if file_path.suffix == ".ipynb": return Notebook.from_parent(parent, path=file_path)
class Notebook(pytest.File):
    def collect(self): return [Cells.from_parent(self, name="cells")]
class Cells(pytest.Item):
    def runtest(self):
        folder = {"metadata": {"path": str(self.path.parent)}}
        NotebookClient(nbformat.read(self.path, 4), resources=folder).execute()
`;

test.skipIf(missing)(
  `a notebook that is a test of pytest: each call is attributed to its cell${because}`,
  async () => {
    const files = { "asking.py": ASKING, "report.ipynb": notebookOf(CELLS), "conftest.py": CONFTEST };
    const told = await toldOf(files, python, ["-m", "pytest", "-q", "report.ipynb"]);

    expect(told.map((one) => [one?.file, ...(one?.name ?? [])])).toEqual([
      ["report.ipynb", "cell 2"],
      ["report.ipynb", "cell 4"],
      ["report.ipynb", "cell 4"],
    ]);
  },
);

/** Runs cells as an editor's notebook does: a kernel that knows its file, and cells in any order. */
const KERNEL = `import sys
from jupyter_client.manager import start_new_kernel
import os, json
env = dict(os.environ)
if sys.argv[1]: env["JPY_SESSION_NAME"] = sys.argv[1]
manager, client = start_new_kernel(kernel_name="python3", env=env)
for source in json.loads(sys.argv[2]):
    assert client.execute_interactive(source, timeout=60)["content"]["status"] == "ok"
client.stop_channels()
manager.shutdown_kernel(now=True)
`;

test.skipIf(missing)(
  `a kernel: a cell that is run again keeps its number, one that is not in the file has its prompt's${because}`,
  async () => {
    const [first = "", second = ""] = CELLS;
    const inputs = [first, second, second, "import asking\nasking.ask()"];

    const files = { "asking.py": ASKING, "report.ipynb": notebookOf(CELLS), "kernel.py": KERNEL };
    const told = await toldOf(files, python, ["kernel.py", "report.ipynb", JSON.stringify(inputs)]);

    expect(told.map((one) => [one?.file, ...(one?.name ?? [])])).toEqual([
      ["report.ipynb", "cell 2"],
      ["report.ipynb", "cell 2"],
      ["report.ipynb", "In [4]"],
    ]);
    expect(new Set(told.map((one) => one?.execution)).size).toBe(3);
  },
);

test.skipIf(missing)(
  `a kernel with an unknown file is still distinguished from scripts${because}`,
  async () => {
    const files = { "asking.py": ASKING, "kernel.py": KERNEL };
    const told = await toldOf(files, python, ["kernel.py", "", JSON.stringify(CELLS.slice(0, 2))]);

    expect(told).toMatchObject([
      { file: "<notebook>", name: ["In [2]"], at: { file: "asking.py", line: 3 } },
    ]);
  },
);
