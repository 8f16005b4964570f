import { localize } from "../../core/base/localize.ts";
import { writeVisibleJson, makeVisibleLine } from "../../core/base/visible.ts";
import { buildChildEnvironment, findHooks } from "../child-environment.ts";
import { EXIT, type Command } from "../command.ts";
import { readDir } from "../options/dir.ts";
import { getDirOnlyHelp } from "../options/serve-options.ts";
import { startServing } from "../serving.ts";
import { paint, type Terminal } from "../terminal.ts";
import { findRepository, listFoldersUp } from "../../storage/inside.ts";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { execFile } from "node:child_process";
import { tryParsePlainJson } from "../../core/base/lenient.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";

/** Checks which calls of the user's project a run would see, and reports those that it would miss. */
export const doctor: Command = {
  name: "doctor",
  summary: localize("Check that calls of this project reach Tapedeck: hooks, clients, and variables."),
  synopsis: "doctor [--dir D] [--json]",
  options: [getDirOnlyHelp(), ["--json", localize("print the findings as JSON")]],
  async execute(args, terminal) {
    const named = readDir(args, terminal);
    const findings = await findingsIn(named, terminal);
    if (args.has("json")) terminal.out(`${writeVisibleJson({ findings }, 2)}\n`);
    else terminal.out(findingsText(findings, terminal.color.out));
    const isBad = findings.some(({ state }) => state === "bad");
    if (!args.has("json"))
      terminal.out(
        isBad
          ? localize("Some calls would bypass Tapedeck.\n")
          : localize("All calls would reach Tapedeck.\n"),
      );
    return isBad ? EXIT.failed : EXIT.ok;
  },
};

/** Serves default replies and probes them with a reserved address, so that no call leaves the machine. */
async function findingsIn(
  named: ReturnType<typeof readDir>,
  terminal: Terminal,
): Promise<readonly DoctorFinding[]> {
  const options = {
    ...named,
    mode: "lenient",
    port: 0,
    upstreams: { probed: `https://${PROBED_HOST}` },
    logsJson: false,
    timing: "none",
    proxy: false,
    defaultReply: "seen",
    limits: {},
  } as const;
  const silent = { ...terminal, err: () => {} };
  const serving = await startServing(options, silent);
  const arrived = new Set<string>();
  serving.deck.engine.onCall(({ model = "" }) => arrived.add(model));
  try {
    const env = await buildChildEnvironment(serving, options.mode, terminal, {
      guards: true,
      blocksNetwork: false,
    });
    const place = { cwd: terminal.cwd, env, arrived };
    return [
      ...(await probeNode(place)),
      ...(await probePython(pythonsOf(terminal.cwd, terminal.env), place)),
    ];
  } finally {
    await serving.stop();
  }
}

const MARKS = { well: ["green", "✔"], bad: ["red", "✘"], told: ["yellow", "•"] } as const;

function findingsText(findings: readonly DoctorFinding[], color: boolean): string {
  return findings
    .flatMap(({ of, state, text, hint }) => {
      const [ink, mark] = MARKS[state];
      const line = `${paint(color, ink, mark)} ${of}: ${makeVisibleLine(text)}`;
      return hint === undefined ? [line] : [line, `    ${makeVisibleLine(hint)}`];
    })
    .map((line) => `${line}\n`)
    .join("");
}

/** Returns the interpreters that the project may use, those in the project first. */
function pythonsOf(cwd: string, env: Terminal["env"]): readonly string[] {
  const inside = process.platform === "win32" ? ["Scripts", "python.exe"] : ["bin", "python"];
  const environments = [
    env["VIRTUAL_ENV"] ?? "",
    ...listFoldersUp(cwd, findRepository(cwd)).flatMap((at) => [join(at, ".venv"), join(at, "venv")]),
  ];
  const own = environments.filter((at) => at !== "").map((at) => join(at, ...inside));
  return [...own.filter((path) => existsSync(path)), "python3", "python"];
}

/** A reserved name that never resolves: a request that the guard does not redirect fails. */
const PROBED_HOST = "openai.tapedeck.invalid";

interface Place {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** The models of the calls that arrived. */
  readonly arrived: ReadonlySet<string>;
}

/** Runs the probe in the Node that a shell in the project would start. */
async function probeNode(place: Place): Promise<readonly DoctorFinding[]> {
  const version = (await output("node", ["--version"], place))?.trim();
  if (version === undefined) return [note("node", localize("not found"))];
  if (Number.parseInt(version.slice(1), 10) < 18)
    return [
      bad(
        "node",
        localize("{0}: calls cannot be attributed to tests", version),
        localize("Use Node 18 or later."),
      ),
    ];
  const report = await probe("node", [probeAt("javascript", "probe.cjs")], place);
  return findingsOf("node", version, report, place);
}

/** Runs the probe in the first of these interpreters that is installed. */
async function probePython(pythons: readonly string[], place: Place): Promise<readonly DoctorFinding[]> {
  for (const python of pythons) {
    const version = (await output(python, ["--version"], place))?.trim();
    if (version === undefined) continue;
    const report = await probe(python, [probeAt("python", "tapedeck_probe.py")], place);
    return findingsOf("python", `${version.replace("Python ", "")} (${python})`, report, place);
  }
  return [note("python", localize("not found"))];
}

interface ProbeReport {
  readonly isHooked: boolean;
  readonly mocks: readonly string[];
  readonly clients: readonly { readonly name: string; readonly error?: string }[];
}

function findingsOf(
  language: "node" | "python",
  version: string,
  report: ProbeReport | undefined,
  { arrived }: Pick<Place, "arrived">,
): readonly DoctorFinding[] {
  if (report === undefined)
    return [
      bad(
        language,
        localize("{0}: it could not run Tapedeck's probe", version),
        localize("Run it in a shell of the project to see the error."),
      ),
    ];
  const hooks = report.isHooked
    ? well(language, localize("{0}: the hooks are loaded", version))
    : bad(language, localize("{0}: the hooks are not loaded", version), HOOKS_HINT[language]);
  const mocks = report.mocks.map((name) =>
    note(
      `${language} mocks`,
      localize("{0} intercepts calls by address", name),
      localize("Tapedeck does not set base-URL variables there; the guard redirects the calls."),
    ),
  );
  const clients = report.clients.map(({ name, error = localize("no call arrived") }) => {
    const of = `${language} ${name}`;
    if (arrived.has(`doctor-${language}-${name}`)) return well(of, localize("its call reaches Tapedeck"));
    return bad(of, localize("its call does not reach Tapedeck: {0}", error), CLIENT_HINT);
  });
  return [hooks, ...mocks, ...clients];
}

const HOOKS_HINT = {
  node: localize("Check that nothing clears or changes NODE_OPTIONS, such as a wrapper of node."),
  python: localize("Check that nothing clears PYTHONPATH. python -I and python -E ignore it."),
};
const CLIENT_HINT = localize("Set the client's base-URL variable or option (docs/clients.md).");

const probeAt = (...path: readonly string[]): string => join(findHooks() ?? "", ...path);

async function probe(
  program: string,
  args: readonly string[],
  place: Pick<Place, "cwd" | "env">,
): Promise<ProbeReport | undefined> {
  const text = await output(program, [...args, `https://${PROBED_HOST}`], place);
  return tryParsePlainJson(text?.trim().split("\n").at(-1) ?? "") as ProbeReport | undefined;
}

const PATIENCE_MS = 90_000;

/** Returns the standard output of a program; undefined if it is not installed or fails. */
function output(
  program: string,
  args: readonly string[],
  place: Pick<Place, "cwd" | "env">,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(program, [...args], { ...place, timeout: PATIENCE_MS }, (error, stdout) =>
      resolve(error === null ? stdout : undefined),
    );
  });
}

export interface DoctorFinding {
  /** The subject of the check: "node", "python httpx" … */
  readonly of: string;
  /** "bad" means that calls would be missed. The other states need no action. */
  readonly state: "well" | "bad" | "told";
  /** A sentence, or its beginning. */
  readonly text: string;
  readonly hint?: string;
}

const well = (of: string, text: string): DoctorFinding => ({ of, state: "well", text });
const note = (of: string, text: string, hint?: string): DoctorFinding => ({
  of,
  state: "told",
  text,
  ...pickDefined({ hint }),
});
const bad = (of: string, text: string, hint: string): DoctorFinding => ({ of, state: "bad", text, hint });
