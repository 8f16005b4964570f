// npm run clients-table [LANGUAGE…]: installs missing clients of test/runners/clients, makes a call with each, and writes
// to docs/tables/clients.md which calls arrive and how.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { askAll, home, languageOf, LANGUAGES, missing, versionOf } from "./checks/clients.mjs";
import { npm } from "./checks/npm.mjs";
import { rootDir } from "./host/paths.mjs";

const modules = join(home, "node_modules");
const page = join(rootDir, "docs", "tables", "clients.md");
const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(LANGUAGES);

/** @type {Readonly<Record<string, () => void>>} */
const INSTALL = {
  javascript: () =>
    npm(home, [
      "install",
      "--no-package-lock",
      "--ignore-scripts",
      "--legacy-peer-deps",
      "--no-audit",
      "--no-fund",
    ]),
  python() {
    const venv = join(modules, ".venv");
    const python = join(venv, "bin", "python");
    run("python3", ["-m", "venv", venv]);
    // pip takes very long to find versions that fit each other.
    run(python, ["-m", "pip", "install", "-q", "uv"]);
    run(python, [
      "-m",
      "uv",
      "pip",
      "install",
      "-q",
      "--python",
      python,
      "-r",
      join(home, "requirements.txt"),
    ]);
    writeFileSync(join(venv, "installed"), "");
  },
  go: () => run("go", ["build", "-C", join(home, "go"), "-o", languageOf("go").built, "."]),
  java() {
    const classpath = languageOf("java").built;
    const classes = join(modules, ".java");
    mkdirSync(classes, { recursive: true });
    const pom = join(home, "java", "pom.xml");
    run("mvn", ["-q", "-B", "-f", pom, "dependency:build-classpath", `-Dmdep.outputFile=${classpath}`]);
    const source = join(home, "java", "src", "main", "java", "Ask.java");
    run("javac", ["-cp", readFileSync(classpath, "utf8"), "-d", classes, source]);
  },
  rust: () =>
    run("cargo", [
      "build",
      "-q",
      "--release",
      "--manifest-path",
      join(home, "rust", "Cargo.toml"),
      "--target-dir",
      join(modules, ".rust"),
    ]),
  ruby: () =>
    run("gem", [
      "install",
      "--no-document",
      "--install-dir",
      join(modules, ".ruby"),
      "anthropic",
      "openai",
      "ruby-openai",
    ]),
  curl() {},
};

/** @param {string} program @param {readonly string[]} args */
function run(program, args) {
  const { status, error } = spawnSync(program, [...args], { stdio: "inherit" });
  if (status !== 0) throw new Error(`${program} failed${error === undefined ? "" : `: ${error.message}`}`);
}

/** A language's rows; its old ones where its clients cannot ask here. @param {string} language @param {string} before */
async function rowsOf(language, before) {
  const { title, ways, proxied } = languageOf(language);
  const old = before.split("\n").filter((line) => line.startsWith(`| ${title} |`));
  if (!wanted.includes(language)) return old;
  try {
    if (!existsSync(languageOf(language).built)) INSTALL[language]?.();
  } catch (error) {
    console.error(`${title}: ${error}`);
  }
  const reason = missing(language);
  if (reason !== undefined) {
    console.error(`${title}: ${reason}`);
    return old;
  }
  const versions = languageOf(language).versions();
  /** @type {Map<string, Awaited<ReturnType<typeof askAll>>>} */
  const found = new Map();
  for (const way of ways) found.set(way, await askAll(language, way));
  const cell = (/** @type {string} */ client, /** @type {string} */ way) => {
    const outcome = found.get(way)?.get(client);
    if (outcome === undefined) return "";
    if (!outcome.reached) console.error(`${title}, ${client}, ${way}: ${outcome.error}`);
    const asked = proxied && (way === "default" || way === "code") ? "--proxy" : "yes";
    return outcome.reached ? asked : "no";
  };
  return [...(found.get("variable")?.keys() ?? [])].map((client) =>
    [
      "",
      title,
      client,
      versionOf(versions, client),
      ...["variable", "default", "code", "line"].map((way) => cell(client, way)),
      "",
    ]
      .join(" | ")
      .trim(),
  );
}

function readPage() {
  const [above = "", rest = ""] = readFileSync(page, "utf8").split(BEGIN);
  const [before = "", below = ""] = rest.split(END);
  return { above, before, below };
}

const BEGIN = "<!-- npm run clients-table -->\n";
const END = "<!-- up to here -->\n";
const rows = [];
const { before } = readPage();
for (const language of Object.keys(LANGUAGES)) rows.push(...(await rowsOf(language, before)));
// The page may have been edited in the meantime.
const { above, below } = readPage();
const head =
  "| language | client | version | variable | its own address | address in code | our line |\n| --- | --- | --- | --- | --- | --- | --- |";
writeFileSync(page, `${above}${BEGIN}${head}\n${rows.join("\n")}\n${END}${below}`);
console.log(`${rows.length} clients in docs/tables/clients.md`);
