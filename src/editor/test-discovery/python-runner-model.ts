import { dirname, join, sep } from "node:path";
import { tapedeckError, type TapedeckError } from "../../core/base/errors.ts";
import { firstIn, foldersAbove, type ProjectFiles, type TestRunner } from "./test-runner-model.ts";

interface PythonProject {
  readonly file: string;
  readonly workspaceFolder: string;
  readonly files: ProjectFiles;
  /** An interpreter that someone chose; it comes before all that is found. */
  readonly python?: string | undefined;
  /** The variable of an activated environment. */
  readonly virtualEnv?: string | undefined;
  /** Asks an interpreter; without it pytest counts as installed where the project speaks of it. */
  readonly hasPytest?: ((python: string) => Promise<boolean>) | undefined;
}

const ROOT_FILES = ["pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg", "setup.py"];
const SECTIONS: Readonly<Record<string, RegExp>> = {
  "pytest.ini": /(?:)/,
  ".pytest.ini": /(?:)/,
  "pyproject.toml": /^\s*\[\s*tool\.pytest\b/m,
  "tox.ini": /^\s*\[pytest\]/m,
  "setup.cfg": /^\s*\[tool:pytest\]/m,
};

/** Tells the runner of a Python test file: pytest where the project or the file speaks of it or it is there, else unittest. */
export async function pythonRunner(project: PythonProject): Promise<TestRunner | TapedeckError> {
  const folders = foldersAbove(project.file, project.workspaceFolder);
  const python = await interpreter(project, folders);
  const text = (await project.files.readFile(project.file)) ?? "";
  const configured = await pytestRoot(project.files, folders);
  const asksForPytest =
    configured !== undefined ||
    /^\s*(?:import|from)\s+pytest\b/m.test(text) ||
    (await hasConftest(project.files, folders));
  const available = project.hasPytest ? await project.hasPytest(python) : asksForPytest;
  const isUnittest = /\bTestCase\b/.test(text);
  if (!available && (asksForPytest || !isUnittest)) return pytestMissing(project, python);
  const cwd = configured ?? (await projectRoot(project.files, folders)) ?? project.workspaceFolder;
  const start = { cwd, command: python, commandFlags: [], runnerFlags: [] };
  if (available) return { runner: "pytest", ...start };
  return { runner: "unittest", ...start, importFrom: await packageParent(project.files, project.file) };
}

/** The first folder above a file that is no package. */
async function packageParent(files: ProjectFiles, file: string): Promise<string> {
  const folders = foldersAbove(file);
  for (const folder of folders) if (!(await files.exists(join(folder, "__init__.py")))) return folder;
  return dirname(file);
}

async function interpreter(project: PythonProject, folders: readonly string[]): Promise<string> {
  if (project.python !== undefined) return project.python;
  const programs =
    sep === "\\" ? [join("Scripts", "python.exe")] : [join("bin", "python"), join("bin", "python3")];
  for (const folder of folders) {
    const found = await firstIn(
      project.files,
      folder,
      [".venv", "venv"].flatMap((name) => programs.map((program) => join(name, program))),
    );
    if (found !== undefined) return join(folder, found);
  }
  if (project.virtualEnv) {
    const active = await firstIn(project.files, project.virtualEnv, programs);
    if (active !== undefined) return join(project.virtualEnv, active);
  }
  return sep === "\\" ? "python" : "python3";
}

/** The innermost folder with settings for pytest. */
async function pytestRoot(files: ProjectFiles, folders: readonly string[]): Promise<string | undefined> {
  for (const folder of folders) {
    const checks = Object.entries(SECTIONS).map(async ([name, section]) => {
      const text = await files.readFile(join(folder, name));
      return text !== undefined && section.test(text);
    });
    if ((await Promise.all(checks)).includes(true)) return folder;
  }
  return undefined;
}

async function hasConftest(files: ProjectFiles, folders: readonly string[]): Promise<boolean> {
  return (await Promise.all(folders.map((folder) => files.exists(join(folder, "conftest.py"))))).includes(
    true,
  );
}

async function projectRoot(files: ProjectFiles, folders: readonly string[]): Promise<string | undefined> {
  for (const folder of folders) if ((await firstIn(files, folder, ROOT_FILES)) !== undefined) return folder;
  return undefined;
}

function pytestMissing({ file, workspaceFolder }: PythonProject, python: string): TapedeckError {
  return tapedeckError("tapedeck_usage", `pytest, which runs ${file}, is not installed for ${python}.`, {
    hint:
      `Looked for .venv and venv from ${dirname(file)} up to ${workspaceFolder}, then for VIRTUAL_ENV, then on the path. ` +
      `Install it (${python} -m pip install pytest), choose another interpreter with the setting tapedeck.python, ` +
      "or say how to run one test with the setting tapedeck.testCommand.",
  });
}
