import { execFile } from "node:child_process";
import { join } from "node:path";
import { jsonIn } from "../../core/protocol/base/lenient.ts";
import { findHooks } from "../child-environment.ts";
import { bad, note, well, type Finding } from "./finding.ts";

/** Nobody has it: what the guard does not redirect there goes nowhere. */
export const PROBED_HOST = "openai.tapedeck.invalid";

export interface Place {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** The models of the calls that came. */
  readonly arrived: ReadonlySet<string>;
}

/** Runs the probe in the Node that a shell in the project would start. */
export async function probeNode({ cwd, env, arrived }: Place): Promise<readonly Finding[]> {
  const version = (await output("node", ["--version"], { cwd, env }))?.trim();
  if (version === undefined) return [note("node", "none is found")];
  if (Number.parseInt(version.slice(1), 10) < 18)
    return [bad("node", `${version}: its calls cannot be told to their tests`, "Use Node 18 or later.")];
  const said = await probe("node", [probeAt("javascript", "probe.cjs")], { cwd, env });
  return findingsOf("node", version, said, arrived);
}

/** Runs it in the first of these interpreters that there is. */
export async function probePython(
  pythons: readonly string[],
  { cwd, env, arrived }: Place,
): Promise<readonly Finding[]> {
  for (const python of pythons) {
    const version = (await output(python, ["--version"], { cwd, env }))?.trim();
    if (version === undefined) continue;
    const said = await probe(python, [probeAt("python", "tapedeck_probe.py")], { cwd, env });
    return findingsOf("python", `${version.replace("Python ", "")} (${python})`, said, arrived);
  }
  return [note("python", "none is found")];
}

interface Said {
  readonly isHooked: boolean;
  readonly mocks: readonly string[];
  readonly runner?: string | null;
  readonly clients: readonly { readonly name: string; readonly error?: string }[];
}

function findingsOf(
  language: "node" | "python",
  version: string,
  said: Said | undefined,
  arrived: ReadonlySet<string>,
): readonly Finding[] {
  if (said === undefined)
    return [
      bad(language, `${version}: it could not run Tapedeck's probe`, "Try it in a shell of the project."),
    ];
  const hooks = said.isHooked
    ? well(language, `${version}: the hooks load`)
    : bad(language, `${version}: the hooks do not load`, HOOKS_HINT[language]);
  const mocks = said.mocks.map((name) =>
    note(
      `${language} mocks`,
      `${name} answers by address`,
      "Base-URL variables are taken back there: the guard has the rest.",
    ),
  );
  const runner = said.runner ? [well(`${language} runner`, said.runner)] : [];
  const clients = said.clients.map(({ name, error = "no call came" }) => {
    const of = `${language} ${name}`;
    if (arrived.has(`doctor-${language}-${name}`)) return well(of, "its call reaches Tapedeck");
    return bad(of, `its call does not reach Tapedeck: ${error}`, CLIENT_HINT);
  });
  return [hooks, ...runner, ...mocks, ...clients];
}

const HOOKS_HINT = {
  node: "See that nothing empties NODE_OPTIONS, and that no wrapper of node changes it.",
  python: "See that nothing empties PYTHONPATH; python -I and -E do not read it.",
};
const CLIENT_HINT = "Set the client's base-URL variable or option (docs/clients.md).";

const probeAt = (...path: readonly string[]): string => join(findHooks() ?? "", ...path);

async function probe(
  program: string,
  args: readonly string[],
  place: Pick<Place, "cwd" | "env">,
): Promise<Said | undefined> {
  const text = await output(program, [...args, `https://${PROBED_HOST}`], place);
  return jsonIn(text?.trim().split("\n").at(-1) ?? "") as Said | undefined;
}

const PATIENCE_MS = 90_000;

/** What a program said; undefined where it is none, or failed. */
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
