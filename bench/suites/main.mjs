// node bench/suites/main.mjs [--long] [--rounds N] [--only WORDS]: compares whole suites under Tapedeck and other recorders,
// as CPU seconds of all processes relative to the same suite that calls a stub on this machine.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { fileURLToPath } from "node:url";
import { measure } from "./measure.mjs";
import { countCalls, writeAimockFixtures, writePytestProject, writeVitestProject } from "./projects.mjs";
import { serveProvider } from "./provider.mjs";

const here = import.meta.dirname;
const packages = join(here, "node_modules");
const python = join(packages, ".venv", "bin", "python");
const cli = join(here, "..", "..", "dist", "cli.js");
const AIMOCK_PORT = 28_473;

/**
 * Returns the rows of the table. The short version takes some minutes, the long one more than half an hour.
 * @param {{ readonly long?: boolean, readonly rounds?: number, readonly only?: string }} options
 */
export async function suiteRows({ long = false, rounds = long ? 5 : 3, only = "" } = {}) {
  if (!existsSync(packages))
    return [["whole suites", "not measured", "node bench/suites/install.mjs installs them"]];
  const home = mkdtempSync(join(tmpdir(), "tapedeck-suites-"));
  const provider = await serveProvider();
  try {
    const size = long ? { files: 10, tests: 20 } : { files: 3, tests: 16 };
    const sets = [
      ...vitestSets(home, size, provider.origin),
      ...(existsSync(python) ? pytestSets(home, size, provider.origin) : []),
    ].filter(({ title }) => title.includes(only));
    const rows = [];
    for (const { title, variants } of sets) {
      const measured = await measure(variants, rounds);
      const direct = measured[0]?.cpu ?? Number.NaN;
      for (const { name, cpu, wall } of measured)
        rows.push([
          `${title}: ${name}, times direct (CPU s, wall s)`,
          `${(cpu / direct).toFixed(2)} (${cpu.toFixed(1)}, ${wall.toFixed(1)})`,
        ]);
    }
    return existsSync(python) ? rows : [...rows, ["pytest", "not measured", "Python's packages are missing"]];
  } finally {
    await provider.close();
    rmSync(home, { recursive: true, force: true });
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
      variants: [asked, ...recorders("rewrite"), taped(recording(origin), true)],
    },
    {
      title: `${title}, replay`,
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

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      long: { type: "boolean", default: false },
      rounds: { type: "string" },
      only: { type: "string", default: "" },
    },
  });
  const { long, only, rounds } = values;
  const rows = await suiteRows({ long, only, ...(rounds && { rounds: Number(rounds) }) });
  for (const [what, figure, note = ""] of rows) console.log(`${what.padEnd(90)} ${figure}   ${note}`);
}
