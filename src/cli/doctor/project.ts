import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { jsonIn } from "../../core/protocol/base/lenient.ts";
import { CONFIG_NAME } from "../../core/config/config.ts";
import { whereOurs } from "../../core/errors.ts";
import { plural } from "../../core/plural.ts";
import type { ProviderTable } from "../../core/protocol/registry.ts";
import type { Deck } from "../../deck/deck.ts";
import { READ_LIMITS, readText } from "../../storage/folder/read-file.ts";
import { hasAttributes } from "../../storage/git-attributes.ts";
import { inspectFolder, type NamedDir } from "../options/dir.ts";
import type { Terminal } from "../terminal.ts";
import { bad, note, well, type Finding } from "./finding.ts";
import { credentialVariables } from "../../core/protocol/providers.ts";

/** What can be said of a project without running anything of it. */
export async function lookAtProject(
  deck: Deck,
  named: NamedDir,
  terminal: Terminal,
): Promise<readonly Finding[]> {
  return [
    config(deck),
    await writable(named),
    await git(named),
    ...(await runners(terminal.cwd)),
    ...languages(terminal.cwd),
    proxies(terminal.env),
    keys(deck.providers, terminal.env),
  ];
}

function config({ project }: Deck): Finding {
  const { problem, config: read } = project.current;
  if (problem !== undefined) return bad("config", problem.message, problem.hint);
  if (!existsSync(project.path)) return well("config", `no ${CONFIG_NAME}: everything as it comes`);
  return well("config", `${CONFIG_NAME} was read: ${plural(read.normalise.length, "rule")}`);
}

function writable({ dir, shownDir }: NamedDir): Promise<Finding> {
  return inspectFolder(dir, { writes: true }).then(
    (there) => well("folder", `${shownDir} can be ${there === "present" ? "written" : "made"}`),
    whereOurs(({ message, hint }) => bad("folder", message, hint)),
  );
}

async function git({ dir }: NamedDir): Promise<Finding> {
  const isSetUp = await hasAttributes(dir).catch(() => false);
  if (isSetUp) return well("git", "recordings are kept whole and folded in reviews");
  return note("git", "recordings are not set up for reviews and merges", "Run: tapedeck git setup");
}

const RUNNERS = ["vitest", "jest", "mocha", "@playwright/test"];

interface Manifest {
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly scripts?: Readonly<Record<string, string>>;
}

async function runners(cwd: string): Promise<readonly Finding[]> {
  const manifest = await manifestAt(cwd);
  if (manifest === undefined) return [];
  const names = { ...manifest.dependencies, ...manifest.devDependencies };
  const found = await Promise.all(
    RUNNERS.filter((name) => names[name] !== undefined).map(async (name) => {
      const installed = await manifestAt(join(cwd, "node_modules", name));
      return `${name} ${installed?.version ?? "(not installed)"}`;
    }),
  );
  if (Object.values(manifest.scripts ?? {}).some((line) => /\bnode\b.* --test\b/.test(line)))
    found.push("node:test");
  if (found.length === 0)
    return [
      note("test runner", "package.json names none that is known", "Calls are then told by their file."),
    ];
  return [well("test runner", found.join(", "))];
}

async function manifestAt(path: string): Promise<Manifest | undefined> {
  const text = await readText(join(path, "package.json"), { most: READ_LIMITS.config }).catch(() => "");
  return jsonIn(text) as Manifest | undefined;
}

const PROXIES = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];

/** As `run --proxy` and the setting `tapedeck.proxy` name it. */
const OUR_PROXY = /^http:\/\/tapedeck:[^@]+@127\.0\.0\.1:/;

/** What lies in the folder of a project in a language without hooks. */
const LANGUAGES: readonly (readonly [string, string])[] = [
  ["go.mod", "Go"],
  ["Cargo.toml", "Rust"],
  ["pom.xml", "Java"],
  ["build.gradle", "Java"],
  ["build.gradle.kts", "Java"],
  ["Gemfile", "Ruby"],
  ["composer.json", "PHP"],
  ["deno.json", "Deno"],
  ["deno.jsonc", "Deno"],
  ["deno.lock", "Deno"],
  ["bunfig.toml", "Bun"],
  ["bun.lock", "Bun"],
  ["bun.lockb", "Bun"],
];

function languages(cwd: string): readonly Finding[] {
  const found = LANGUAGES.filter(([file]) => existsSync(join(cwd, file))).map(([, language]) => language);
  return [...new Set(found)].map((language) =>
    note(
      language.toLowerCase(),
      `${language} has no hooks: calls come by a base-URL variable`,
      "With the address in code: tapedeck run --proxy, in VS Code the setting tapedeck.proxy (docs/providers.md).",
    ),
  );
}

function proxies(env: Terminal["env"]): Finding {
  const set = PROXIES.filter((name) => (env[name] ?? "") !== "");
  if (set.length === 0) return well("proxy", "none is set");
  if (set.every((name) => OUR_PROXY.test(env[name] ?? "")))
    return well("proxy", "Tapedeck's own is on: clients in every language come by it");
  return note("proxy", `${set.join(", ")}: calls to Tapedeck are kept off it by NO_PROXY`);
}

function keys(providers: ProviderTable, env: Terminal["env"]): Finding {
  const set = providers.names
    .flatMap((name) => credentialVariables(providers.get(name)))
    .filter((name) => (env[name] ?? "") !== "");
  if (set.length === 0)
    return note("keys", "no provider's is set: recordings are replayed, none can be made");
  return note("keys", `${set.join(", ")} ${set.length === 1 ? "is" : "are"} set`);
}

/** The interpreters that may be the project's, its own first. */
export function pythonsOf(cwd: string, env: Terminal["env"]): readonly string[] {
  const inside = process.platform === "win32" ? ["Scripts", "python.exe"] : ["bin", "python"];
  const environments = [
    env["VIRTUAL_ENV"] ?? "",
    ...abovesOf(cwd).flatMap((at) => [join(at, ".venv"), join(at, "venv")]),
  ];
  const own = environments.filter((at) => at !== "").map((at) => join(at, ...inside));
  return [...own.filter((path) => existsSync(path)), "python3", "python"];
}

/** The folder and those above it, as far as a project may reach. */
function abovesOf(folder: string): readonly string[] {
  const above = dirname(folder);
  return existsSync(join(folder, ".git")) || above === folder ? [folder] : [folder, ...abovesOf(above)];
}
