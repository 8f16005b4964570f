// Compares whole suites under Tapedeck and other recorders, as CPU seconds of all processes relative to the same suite that
// calls a stub on this machine.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { measure } from "./measure.mjs";
import { countCalls, writeAimockFixtures, writePytestProject, writeVitestProject } from "./projects.mjs";
import { serveProvider } from "./provider.mjs";

const here = import.meta.dirname;
const packages = join(here, "node_modules");
const python = join(packages, ".venv", "bin", "python");
const cli = join(here, "..", "..", "dist", "cli.js");
const AIMOCK_PORT = 28_473;

/**
 * Returns the rows of the table.
 * @param {string} home a folder for the projects
 * @param {{ readonly long?: boolean, readonly rounds?: number }} options
 */
export async function suiteRows(home, { long = false, rounds = long ? 5 : 3 } = {}) {
  if (!existsSync(packages))
    return [["whole suites", "not measured", "node bench/suites/install.mjs installs them"]];
  const provider = await serveProvider();
  try {
    const size = long ? { files: 10, tests: 20 } : { files: 3, tests: 16 };
    const hasPython = existsSync(python);
    const sets = [
      ...vitestSets(home, size, provider.origin),
      ...(hasPython ? pytestSets(home, size, provider.origin) : []),
    ];
    const rows = [];
    for (const { title, variants, bound } of sets) {
      const measured = await measure(variants, rounds);
      const direct = measured[0]?.cpu ?? Number.NaN;
      rows.push([`${title}: CPU, times direct (CPU s, wall s)`, "", bound]);
      for (const { name, cpu, wall } of measured)
        rows.push([`  ${name}`, `${(cpu / direct).toFixed(2)} (${cpu.toFixed(1)}, ${wall.toFixed(1)})`]);
    }
    return hasPython ? rows : [...rows, ["pytest", "not measured", "Python's packages are missing"]];
  } finally {
    await provider.close();
  }
}

/** Returns variants with a copy of the project each, because recordings are stored beside the tests. */
function vitestSets(home, size, origin) {
  const { calls, tests } = countCalls(size);
  const direct = variablesFor(origin);
  const vitest = ["node", "node_modules/vitest/vitest.mjs", "run"];
  const project = (name, listed) => {
    const dir = join(home, `vitest-${name}`);
    if (!existsSync(dir)) writeVitestProject(dir, size, listed);
    return dir;
  };
  const mocking = ["nock", "msw", "@pollyjs/core"];
  const fixtures = join(home, "aimock.json");
  writeAimockFixtures(fixtures, size);
  const provider = { ...direct, SUITE_PROVIDER: join(here, "provider.mjs") };
  const recorder = (name, fresh, mode) => ({
    name,
    cwd: project(name),
    env: { ...direct, SUITE: name, SUITE_MODE: mode },
    command: vitest,
    ...(mode === "record" && { fresh: [join(project(name), fresh)] }),
  });
  const taped = (name, listed, options, fresh) => ({
    name: `tapedeck, ${name}`,
    cwd: project(name, listed),
    command: ["node", cli, "run", ...options, "--", ...vitest],
    ...(fresh && { fresh: [join(project(name, listed), ".tapedeck")] }),
  });
  const asked = { name: "direct", cwd: project("direct"), env: direct, command: vitest };
  const title = `vitest, ${tests} tests, ${calls} calls`;
  const [plain, lists] = ["plain project", "project with mocking libraries"];
  return [
    {
      title: `${title}, record`,
      bound: "tapedeck: at most 1.15",
      variants: [
        asked,
        recorder("nock", "nock-fixtures", "record"),
        recorder("polly", "polly-recordings", "record"),
        taped(plain, [], recording(origin), true),
        taped(lists, mocking, recording(origin), true),
      ],
    },
    {
      title: `${title}, replay`,
      bound: "tapedeck: at most 1.08",
      variants: [
        asked,
        {
          name: "hand-written mock",
          cwd: project("hand"),
          env: { ...provider, SUITE: "hand" },
          command: vitest,
        },
        recorder("nock", "nock-fixtures", "replay"),
        { name: "msw", cwd: project("msw"), env: { ...provider, SUITE: "msw" }, command: vitest },
        recorder("polly", "polly-recordings", "replay"),
        {
          name: "aimock",
          cwd: project("aimock"),
          env: variablesFor(`http://127.0.0.1:${AIMOCK_PORT}`),
          command: ["sh", "-c", behindAimock(fixtures), "sh", ...vitest],
        },
        taped(plain, [], []),
        taped(lists, mocking, []),
        {
          name: "tapedeck, fixture of vitest",
          cwd: project(plain),
          env: { SUITE: "fixture" },
          command: vitest,
        },
      ],
    },
  ];
}

/** Returns a shell script that starts aimock beside a command, as its users do. */
const behindAimock = (fixtures) => `node ${join(packages, "@copilotkit", "aimock", "dist", "cli.js")} \
-p ${AIMOCK_PORT} -f ${fixtures} --log-level silent & server=$!
until node -e 'fetch("http://127.0.0.1:${AIMOCK_PORT}/").then(() => {}, () => process.exit(1))'; do sleep 0.1; done
"$@"; code=$?; kill $server; wait $server; exit $code`;

function pytestSets(home, size, origin) {
  const { calls, tests } = countCalls(size, true);
  const direct = variablesFor(origin);
  const options = ["-q", "-p", "pytest_asyncio.plugin", "-p", "no:cacheprovider", "tests"];
  const pytest = (...more) => [python, "-m", "pytest", ...options, ...more];
  const project = (name) => {
    const dir = join(home, `pytest-${name}`);
    if (!existsSync(dir)) writePytestProject(dir, size);
    return dir;
  };
  const recorder = (name, plugin, env, mode) => ({
    name,
    cwd: project(name),
    env: { ...direct, ...env },
    command: pytest("-p", plugin, `--record-mode=${mode}`),
    ...(mode === "rewrite" && { fresh: [join(project(name), "tests", "cassettes")] }),
  });
  const recorders = (mode) => [
    recorder("vcrpy", "pytest_recording.plugin", {}, mode),
    recorder("cassetter", "cassetter.pytest_plugin", { SUITE: "cassetter" }, mode),
  ];
  const taped = (given, fresh) => ({
    name: "tapedeck",
    cwd: project("tapedeck"),
    command: ["node", cli, "run", ...given, "--", ...pytest()],
    ...(fresh && { fresh: [join(project("tapedeck"), ".tapedeck")] }),
  });
  const asked = { name: "direct", cwd: project("direct"), env: direct, command: pytest() };
  const title = `pytest, ${tests} tests, ${calls} calls`;
  return [
    {
      title: `${title}, record`,
      bound: "tapedeck: at most 1.15",
      variants: [asked, ...recorders("rewrite"), taped(recording(origin), true)],
    },
    {
      title: `${title}, replay`,
      bound: "tapedeck: at most 1.05",
      variants: [
        asked,
        { name: "hand-written mock", cwd: project("hand"), env: { SUITE: "hand" }, command: pytest() },
        ...recorders("none"),
        taped([]),
      ],
    },
  ];
}

const variablesFor = (origin) => ({ OPENAI_BASE_URL: `${origin}/v1`, ANTHROPIC_BASE_URL: origin });
const recording = (origin) => [
  "--mode",
  "record",
  ...["openai", "anthropic"].flatMap((name) => ["--upstream", `${name}=${origin}`]),
];
