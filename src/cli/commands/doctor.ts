import { visibleJson, visibleLine } from "../../core/view/visible.ts";
import { childEnvironment } from "../child-environment.ts";
import { EXIT, type Command } from "../command.ts";
import type { Finding } from "../doctor/finding.ts";
import { PROBED_HOST, probeNode, probePython } from "../doctor/probes.ts";
import { lookAtProject, pythonsOf } from "../doctor/project.ts";
import { readDir } from "../options/dir.ts";
import { DIR_ONLY_HELP } from "../options/serve-options.ts";
import { startServing } from "../serving.ts";
import { paint, type Terminal } from "../terminal.ts";

/** Tries in the user's own project what a run would see, and says what it would not. */
export const doctor: Command = {
  name: "doctor",
  summary: "Try here what a run would see: hooks, clients, variables; say what it would not.",
  synopsis: "doctor [--dir D] [--json]",
  options: [DIR_ONLY_HELP, ["--json", "the findings as JSON"]],
  async execute(args, terminal) {
    const named = readDir(args, terminal);
    const findings = await findingsIn(named, terminal);
    if (args.has("json")) terminal.out(`${visibleJson({ findings }, 2)}\n`);
    else terminal.out(findingsText(findings, terminal.colour.out));
    const isBad = findings.some(({ state }) => state === "bad");
    if (!args.has("json")) terminal.out(isBad ? "Not all would be seen.\n" : "All would be seen.\n");
    return isBad ? EXIT.failed : EXIT.ok;
  },
};

/** Calls are answered by default, and none leaves the machine: the address that is probed is nobody's. */
async function findingsIn(
  named: ReturnType<typeof readDir>,
  terminal: Terminal,
): Promise<readonly Finding[]> {
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
  serving.deck.engine.onCall(({ model }) => arrived.add(model ?? ""));
  try {
    const env = await childEnvironment(serving, options.mode, terminal, {
      command: [],
      guards: true,
      blocksNetwork: false,
    });
    const place = { cwd: terminal.cwd, env, arrived };
    return [
      ...(await lookAtProject(serving.deck, named, terminal)),
      ...(await probeNode(place)),
      ...(await probePython(pythonsOf(terminal.cwd, terminal.env), place)),
    ];
  } finally {
    await serving.stop();
  }
}

const MARKS = { well: ["green", "✔"], bad: ["red", "✘"], told: ["yellow", "•"] } as const;

function findingsText(findings: readonly Finding[], colour: boolean): string {
  return findings
    .flatMap(({ of, state, text, hint }) => {
      const [ink, mark] = MARKS[state];
      const line = `${paint(colour, ink, mark)} ${of}: ${visibleLine(text)}`;
      return hint === undefined ? [line] : [line, `    ${visibleLine(hint)}`];
    })
    .map((line) => `${line}\n`)
    .join("");
}
