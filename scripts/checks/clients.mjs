// Makes a call with each client of test/runners/clients, in a run without network, and reports whose call reached the server.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { rootDir } from "../host/paths.mjs";

export const home = join(rootDir, "test", "runners", "clients");
const modules = join(home, "node_modules");
const python = join(modules, ".venv", "bin", "python");
const goProgram = join(modules, ".go", "ask");
const javaClasses = join(modules, ".java");
const gems = join(modules, ".ruby");
const rustProgram = join(modules, ".rust", "release", "tapedeck-clients");

/**
 * Where a client gets its address: from the environment; its default; the provider's address in code; or Tapedeck's
 * address in a line of code.
 * @typedef {"variable" | "default" | "code" | "line"} Way
 */

/**
 * @typedef {object} Language
 * @property {string} title
 * @property {readonly Way[]} ways
 * @property {boolean} [proxied] its processes have no hooks: calls without a variable arrive by `run --proxy`
 * @property {string} built a file that exists if its clients are installed
 * @property {() => readonly string[]} command
 * @property {() => Readonly<Record<string, string | undefined>>} versions
 */

/** @type {Readonly<Record<string, Language>>} */
export const LANGUAGES = {
  javascript: {
    title: "JavaScript",
    ways: ["variable", "default", "code"],
    built: join(modules, "openai"),
    command: () => [process.execPath, join(home, "ask.mjs")],
    versions: () => JSON.parse(readFileSync(join(home, "package.json"), "utf8")).dependencies,
  },
  python: {
    title: "Python",
    ways: ["variable", "default", "code"],
    built: join(modules, ".venv", "installed"),
    command: () => [python, join(home, "ask.py")],
    versions: () => JSON.parse(outputOf(python, ["-c", PYTHON_VERSIONS])),
  },
  go: {
    title: "Go",
    ways: ["variable", "default", "code", "line"],
    proxied: true,
    built: goProgram,
    command: () => [goProgram],
    versions: () =>
      Object.fromEntries(
        [...readFileSync(join(home, "go", "go.mod"), "utf8").matchAll(/^\s*(?:require )?(\S+) v(\S+)/gm)].map(
          ([, name, version]) => [name, version],
        ),
      ),
  },
  java: {
    title: "Java",
    ways: ["variable", "default", "code", "line"],
    proxied: true,
    built: join(javaClasses, "classpath"),
    command: () => [
      "java",
      "-cp",
      `${javaClasses}:${readFileSync(join(javaClasses, "classpath"), "utf8")}`,
      "Ask",
    ],
    versions: () =>
      Object.fromEntries(
        [
          ...readFileSync(join(home, "java", "pom.xml"), "utf8").matchAll(
            /<groupId>(com\S+)<\/groupId>\s*<artifactId>(\S+)<\/artifactId>\s*<version>(\S+)<\/version>/g,
          ),
        ].map(([, group, name, version]) => [`${group}:${name}`, version]),
      ),
  },
  rust: {
    title: "Rust",
    ways: ["variable", "default", "code", "line"],
    proxied: true,
    built: rustProgram,
    command: () => [rustProgram],
    versions: () =>
      Object.fromEntries(
        [
          ...readFileSync(join(home, "rust", "Cargo.toml"), "utf8").matchAll(
            /^([\w-]+) = (?:\{ version = )?"=([\d.]+)"/gm,
          ),
        ].map(([, name, version]) => [name, version]),
      ),
  },
  ruby: {
    title: "Ruby",
    ways: ["variable", "default", "code", "line"],
    proxied: true,
    built: join(gems, "specifications"),
    command: () => ["env", `GEM_PATH=${gemPath()}`, "ruby", join(home, "ask.rb")],
    versions: () =>
      JSON.parse(outputOf("env", [`GEM_PATH=${gemPath()}`, "ruby", join(home, "ask.rb"), "", "versions"])),
  },
  curl: {
    title: "curl",
    ways: ["variable", "default", "code", "line"],
    proxied: true,
    built: "/usr/bin/curl",
    command: () => ["sh", join(home, "ask.sh")],
    versions: () => ({ curl: outputOf("curl", ["--version"]).split(" ")[1] ?? "" }),
  },
};

const PYTHON_VERSIONS =
  "import importlib.metadata as m, json; print(json.dumps({d.metadata['Name'].lower().replace('_', '-'): d.version for d in m.distributions()}))";

/** @param {string} name @returns {Language} */
export function languageOf(name) {
  const language = LANGUAGES[name];
  if (language === undefined) throw new Error(`no language ${name}: ${Object.keys(LANGUAGES).join(", ")}`);
  return language;
}

/** Why a language's clients cannot ask here; undefined where they can. @param {string} language */
export function missing(language) {
  if (spawnSync("unshare", ["--user", "--net", "--map-root-user", "ip", "link"]).status !== 0)
    return "needs Linux, unshare and ip: without them a call might leave";
  return existsSync(languageOf(language).built) ? undefined : "not installed: npm run clients-table";
}

/** Without credentials, a run gives clients a bearer token, which AWS's SDK for Go refuses without TLS. */
const AWS = { AWS_ACCESS_KEY_ID: "AKIDOWN", AWS_SECRET_ACCESS_KEY: "own" };
/** A network namespace with a loopback interface only, so that no call can leave. */
const OUTSIDE = [
  "unshare",
  "--user",
  "--net",
  "--map-root-user",
  "sh",
  "-c",
  'ip link set lo up; exec "$@"',
  "sh",
];
/** Removes the addresses that a run sets from the environment. */
const WITHOUT_VARIABLES = [
  "sh",
  "-c",
  'unset $(env | sed -n "s#^\\([A-Z_]*\\)=$TAPEDECK_URL/.*#\\1#p"); exec "$@"',
  "sh",
];

/**
 * Returns whether each client's call reached the server, and its error.
 * @param {string} language
 * @param {Way} way
 * @returns {Promise<Map<string, { reached: boolean, error: string }>>}
 */
export async function askAll(language, way) {
  const cwd = mkdtempSync(join(tmpdir(), "tapedeck-clients-"));
  const { proxied, command } = languageOf(language);
  const byProxy = proxied === true && (way === "default" || way === "code");
  const options = [
    "--report",
    "json=report.json",
    ...(byProxy ? ["--proxy"] : []),
    ...(proxied || way === "variable" ? ["--no-guard"] : []),
  ];
  const run = [process.execPath, join(rootDir, "dist", "cli.js"), "run", ...options, "--"];
  const asked = [...command(), way];
  const isolated = [...OUTSIDE, ...run, ...(byProxy ? WITHOUT_VARIABLES : []), ...asked];
  const stdout = await ran(isolated, cwd, proxied ? AWS : {});
  const arrived = JSON.stringify(JSON.parse(readFileSync(join(cwd, "report.json"), "utf8")).findings);
  rmSync(cwd, { recursive: true, force: true });
  const lines = stdout.split("\n").filter((line) => line.startsWith('{"client"'));
  return new Map(
    lines.map((line) => {
      const { client, id, error } = JSON.parse(line);
      return [
        client,
        { reached: arrived.includes(id) || String(error).includes("tapedeck_miss"), error: error ?? "" },
      ];
    }),
  );
}

/** Lists our gems before the system's. */
function gemPath() {
  return [gems, outputOf("ruby", ["-e", "print Gem.path.join(File::PATH_SEPARATOR)"])].join(":");
}

/** The version of a client's package, by the client's name: a word in parentheses names one of its classes. @param {Readonly<Record<string, string | undefined>>} versions @param {string} client */
export function versionOf(versions, client) {
  const name = client.replace(/ \(.*$/, "");
  return versions[name] ?? versions[name.toLowerCase().replaceAll("_", "-")] ?? "";
}

/** @param {string} program @param {readonly string[]} args */
function outputOf(program, args) {
  return spawnSync(program, [...args], { encoding: "utf8" }).stdout;
}

/**
 * @param {readonly string[]} command
 * @param {string} cwd
 * @param {Readonly<Record<string, string>>} env
 * @returns {Promise<string>}
 */
function ran([program = "", ...args], cwd, env) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "ignore"],
    });
    let stdout = "";
    child.stdout.on("data", (piece) => (stdout += piece));
    child.on("error", reject).on("close", () => resolve(stdout));
  });
}
