import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { build, type Metafile } from "esbuild";
import { expect, test } from "vitest";
import { readSource } from "../scripts/checks/without-protection.mjs";

const root = resolve(import.meta.dirname, "..");
const source = join(root, "src");

const ALL_ROOMS = "core storage server client hooks importing remote team deck test-discovery agent".split(
  " ",
);

/** The other parts that each part of src may import. A part that is not listed must not be imported. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  core: [],
  storage: ["core"],
  server: ["core"],
  client: ["core"],
  hooks: ["core"],
  remote: ["core", "storage", "server"],
  team: ["core", "storage", "remote"],
  "test-discovery": ["core", "storage"],
  deck: ["core", "storage", "server", "client", "remote", "team", "hooks"],
  importing: ["core", "storage", "server"],
  editor: ALL_ROOMS,
  cli: ALL_ROOMS,
  agent: ["core", "storage", "deck", "test-discovery"],
  testing: ["core", "storage", "client", "deck"],
  systems: ["core", "storage", "client"],
  "index.ts": ["core", "storage", "server", "client", "deck", "systems"],
};

/** Files that may import a system beside these: the entries to MetaGPT's cache, and mocks that speak as a system does. */
const ENTRIES = [
  /^editor\/metagpt\//,
  /^deck\/cached-call-events\.ts$/,
  /^cli\/(?:child-environment|options\/read-options)\.ts$/,
  /^client\/stand-in\/lenient\.ts$/,
];
const isEntry = (file: string, to: string): boolean =>
  partOf(to) === "systems" && ENTRIES.some((entry) => entry.test(file));

/** Libraries by part; `node:` modules are allowed everywhere but in core. */
const LIBRARIES: Record<string, readonly string[]> = {
  core: ["jsonc-parser", "re2js"],
  storage: ["jsonc-parser"],
  remote: ["ioredis", "aws4fetch"],
  server: ["https-proxy-agent", "proxy-from-env", "@peculiar/x509", "reflect-metadata", "ws"],
  client: [
    "openai",
    "@anthropic-ai/sdk",
    "@google/genai",
    "ollama/browser",
    "gpt-tokenizer",
    "smol-toml",
    "jsonc-parser",
    "@noble/hashes/sha2.js",
    "@cfworker/json-schema",
  ],
  systems: [
    "openai",
    "@anthropic-ai/sdk",
    "@google/genai",
    "ollama/browser",
    "gpt-tokenizer",
    "smol-toml",
    "jsonc-parser",
  ],
  testing: ["vitest"],
  agent: ["zod"],
  cli: ["@modelcontextprotocol/sdk"],
  importing: ["yaml"],
  editor: ["vscode", "jsonc-parser"],
  "test-discovery": ["@vscode/tree-sitter-wasm"],
};

interface Import {
  readonly file: string;
  readonly target: string;
}

const imports = importsOf(source);

test("imports flow core, then storage, server and client, then deck, then editor, cli and index", () => {
  const violations = imports
    .filter(({ target }) => target.startsWith("."))
    .map(({ file, target }) => ({ file, to: relative(source, resolve(dirname(join(source, file)), target)) }))
    .filter(
      ({ file, to }) =>
        partOf(file) !== partOf(to) && !MAY_IMPORT[partOf(file)]?.includes(partOf(to)) && !isEntry(file, to),
    )
    .map(({ file, to }) => `${file} imports ${to}`);

  expect(imports.length).toBeGreaterThan(50);
  expect(violations).toEqual([]);
});

/** The folders of a room from the bottom up: each may import those of lower levels only. */
const LEVELS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  core: [
    ["base"],
    ["call"],
    ["cassette", "protocol"],
    ["formats", "match"],
    ["config", "secrets", "view"],
    ["answer"],
  ],
  editor: [
    ["settings", "window"],
    ["environment", "findings", "language-models", "runs"],
    ["calls", "session"],
    ["checks", "importing", "metagpt", "status-bar"],
    ["documents"],
    ["calls-tree", "test-code"],
    ["agent", "call-commands", "test-runs"],
    ["extension"],
  ],
};

test.each([
  ["core", 6],
  ["editor", 8],
])("%s has at most %i levels of folders, and no import goes up or sideways", (room, most) => {
  const levels = LEVELS[room] ?? [];
  const ofRoom = imports.filter(({ file }) => file.startsWith(`${room}/`));
  const folders = new Set(ofRoom.map(({ file }) => file.split("/")[1] ?? ""));
  const folderOf = (path: string): string => path.split("/")[1] ?? "";
  const levelOf = (path: string): number => levels.findIndex((level) => level.includes(folderOf(path)));
  const violations = ofRoom
    .filter(({ target }) => target.startsWith("."))
    .map(({ file, target }) => ({ file, to: relative(source, resolve(dirname(join(source, file)), target)) }))
    .filter(({ file, to }) => to.startsWith(`${room}/`) && folderOf(file) !== folderOf(to))
    .filter(({ file, to }) => levelOf(to) >= levelOf(file))
    .map(({ file, to }) => `${file} imports ${to}`);

  expect(levels.length).toBeLessThanOrEqual(most);
  expect([...folders].sort()).toEqual(levels.flat().sort());
  expect(violations).toEqual([]);
});

test("no files import each other in a ring, not even for types", () => {
  const named = new Map<string, string[]>();
  for (const { file, target } of imports)
    if (target.startsWith("."))
      named.set(file, [
        ...(named.get(file) ?? []),
        relative(source, resolve(dirname(join(source, file)), target)),
      ]);
  // What imports nothing that is left is in no ring: taken away again and again, the rings stay.
  for (let size = -1; size !== named.size;) {
    size = named.size;
    for (const [file, targets] of named) if (!targets.some((target) => named.has(target))) named.delete(file);
  }

  expect([...named.keys()]).toEqual([]);
});

test("inside core/protocol imports go down: base, then families, the table, and what knows all of them", () => {
  const folders = new Map<string, Set<string>>();
  for (const { file, target } of imports) {
    const from = dirname(file);
    const to = relative(source, dirname(resolve(source, from, target)));
    if (!isInProtocol(from) || !target.startsWith(".") || !isInProtocol(to) || to === from) continue;
    folders.set(from, (folders.get(from) ?? new Set()).add(to));
  }
  const above = [...folders].filter(([from, targets]) =>
    [...targets].some((to) => from.startsWith(`${to}/`)),
  );
  // A folder that imports nothing that is left is in no ring.
  const left = new Map(folders);
  for (let size = -1; size !== left.size;) {
    size = left.size;
    for (const [from, targets] of left) if (![...targets].some((to) => left.has(to))) left.delete(from);
  }

  expect(folders.size).toBeGreaterThan(8);
  expect(above).toEqual([]);
  expect([...left.keys()]).toEqual([]);
});

const isInProtocol = (folder: string): boolean => /^core\/protocol(?:\/|$)/.test(folder);

test("no folder has more than 25 files on one level: more are not read together", () => {
  const folders = readdirSync(source, { withFileTypes: true, recursive: true }).filter((entry) =>
    entry.isDirectory(),
  );
  const countIn = (folder: string): number =>
    readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile()).length;

  const full = folders
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((folder) => countIn(folder) > 25);

  expect(full).toEqual([]);
});

test("only editor imports vscode, its models do not, and core imports no node module", () => {
  const violations = imports
    .filter(({ target }) => !target.startsWith("."))
    .filter(({ file, target }) => !isAllowed(file, target))
    .map(({ file, target }) => `${file} imports ${target}`);

  expect(violations).toEqual([]);
});

test("nothing but connect.ts opens a connection, and nothing but the deck names it, by a dynamic import", () => {
  const sources = filesIn(source).map((file) => ({ file, text: readFileSync(join(source, file), "utf8") }));
  const named = sources
    .filter(({ text }) => /upstream\/connect\.ts|["']\.\/connect\.ts/.test(text))
    .map(({ file }) => file);
  const connecting = sources
    .filter(({ file }) => file.endsWith(".ts"))
    .filter(({ text }) =>
      /(?:await|return|=>?)\s+fetch\(|from "node:(?:https|http2|tls|dgram)"|\{[^}]*\b(?:request|get|connect|createConnection)\b[^}]*\} from "node:(?:http|net)"|\b(?:http|https|net|tls)\.(?:request|get|connect|createConnection)\(/.test(
        text.replaceAll(/^import type .*$/gm, ""),
      ),
    )
    .map(({ file }) => file);

  expect(named).toEqual(["deck/deck.ts"]);
  expect(sources.find(({ file }) => file === "deck/deck.ts")?.text).toMatch(
    /await import\("\.\.\/server\/upstream\/connect\.ts"\)/,
  );
  // WebSockets are opened by a file of the part that is loaded with the first one.
  expect(sources.filter(({ text }) => text.includes("connect-socket.ts")).map(({ file }) => file)).toEqual([
    "server/sockets/sockets.ts",
  ]);
  // The S3 engine of a team cache is loaded if a person named one.
  // Of these one speaks over a connection that ends in the server itself.
  // The proxy of a run passes on what its processes send elsewhere.
  expect(connecting).toEqual([
    "remote/s3.ts",
    "server/http/http2.ts",
    "server/proxy/authority.ts",
    "server/proxy/onward.ts",
    "server/proxy/proxy.ts",
    "server/proxy/serve-proxy.ts",
    "server/upstream/connect.ts",
  ]);
  const http2 = sources.find(({ file }) => file === "server/http/http2.ts")?.text;
  expect(http2?.match(/\bhttp1\(\{\s+createConnection: \(\) => ours,|\bhttp1\(/g)).toEqual([
    expect.stringContaining("ours"),
  ]);
  expect(http2).toContain('const { createServer } = await import("node:http2");');
  const loading = sources.filter(({ text }) => /(?:import|require)\("(?:node:)?http2"\)/.test(text));
  expect(loading.map(({ file }) => file).filter((file) => file.endsWith(".ts"))).toEqual([
    "server/http/http2.ts",
  ]);
});

test("the engines of a team cache are loaded when one is opened", () => {
  const inRemote = (path: string): boolean => /^remote[\\/]/.test(path);
  const named = imports
    .filter(({ target }) => /\/(?:shared-folder|redis|s3)\.ts$|^(?:ioredis|aws4fetch)$/.test(target))
    .map(({ file, target }) => `${file}: ${target}`);
  const atOnce = filesIn(source).filter((file) =>
    /(?:^|\n)(?:import|export)\b(?! type)[^;]*?from "[^"]*\/(?:shared-folder|redis|s3)\.ts"/.test(
      readFileSync(join(source, file), "utf8"),
    ),
  );

  expect(named.filter((line) => inRemote(line)).sort()).toEqual([
    "remote/object-store.ts: ./redis.ts",
    "remote/object-store.ts: ./s3.ts",
    "remote/object-store.ts: ./shared-folder.ts",
    "remote/redis.ts: ioredis",
    "remote/s3.ts: aws4fetch",
  ]);
  expect(atOnce).toEqual([]);
});

/** These read files of our own package, and files that the user names on the command line, which may be pipes. */
/** `outside.ts` reads the kernel's lists, only below /proc. */
const READS_BY_ITSELF = [
  "cli/main.ts",
  "cli/on-node-20.ts",
  "cli/options/read-options.ts",
  "cli/outside.ts",
  "cli/version.ts",
  "storage/folder/read-file.ts",
];

test("what may be a stranger's file is read by storage/folder/read-file.ts alone, which waits for no pipe or device", () => {
  const reading = filesIn(source)
    .filter((file) => /^(?:storage|editor|cli|importing|testing|remote)\//.test(file) || !file.includes("/"))
    .filter((file) =>
      /\{[^}]*\b(?:readFile|readFileSync|createReadStream|read|readSync|openAsBlob)\b[^}]*\} from "node:fs|import (?:\* as )?\w+ from "node:fs|workspace\.fs\.readFile|process\.getBuiltinModule/.test(
        readSource(join(source, file)),
      ),
    );

  expect(reading).toEqual(READS_BY_ITSELF);
});

test("the editor shows text in places that keep it text, and in no others", () => {
  const shown = filesIn(join(source, "editor")).flatMap((file) => {
    const text = readSource(join(source, "editor", file));
    const words = text.matchAll(
      /\bshow(?:Error|Warning|Information)Message\b|\b(?:show|create)QuickPick\b|\b(?:show|create)InputBox\b|\bwithProgress\b|\bsetStatusBarMessage\b|"vscode\.diff"|new vscode\.(?:Diagnostic|TreeItem|MarkdownString|Hover|CompletionItem|InlayHint)\(|\bcreate(?:StatusBarItem|OutputChannel|Terminal|WebviewPanel)\b/gu,
    );
    return [...words].map(([word]) => `${file}: ${word}`);
  });

  expect([...new Set(shown)]).toEqual([
    "agent/language-model-tools.ts: new vscode.MarkdownString(",
    "calls-tree/tree-item.ts: new vscode.TreeItem(",
    "calls-tree/tree-item.ts: new vscode.MarkdownString(",
    "status-bar/status-bar.ts: createStatusBarItem",
    "status-bar/status-bar.ts: new vscode.MarkdownString(",
    "test-code/miss-problems.ts: new vscode.Diagnostic(",
    "test-runs/test-terminal.ts: createTerminal",
    "window/log.ts: createOutputChannel",
    "window/messages.ts: showInformationMessage",
    "window/messages.ts: showWarningMessage",
    "window/messages.ts: showErrorMessage",
    "window/messages.ts: setStatusBarMessage",
    "window/messages.ts: withProgress",
    'window/messages.ts: "vscode.diff"',
    "window/picks.ts: showQuickPick",
    "window/picks.ts: showInputBox",
    "window/picks.ts: createInputBox",
    "window/picks.ts: createQuickPick",
    "window/problem.ts: new vscode.Diagnostic(",
  ]);
});

test("tokens are compared in constant time, each with every one that is admitted", () => {
  const text = readSource(join(source, "server/guard/guard.ts"));
  const compared = text
    .split("\n")
    .filter(
      (line) => /\b(?:token|given)\b/.test(line) && /===|\.equals\(|\.get\(|\.has\(|compare\(/.test(line),
    );

  expect(compared.map((line) => line.trim())).toEqual([
    "const isSame = timingSafeEqual(entry.bytes, given) && entry.length === token.length;",
  ]);
  expect(text).not.toMatch(/\bbreak;|if \(isSame\) return/);
});

test.each(["cli/commands/run.ts", "deck/deck.ts", "index.ts", "editor/extension/extension.ts"])(
  "what %s loads at once cannot reach another machine: neither connect.ts nor what it needs is among it",
  async (entry) => {
    const { metafile } = await build({
      entryPoints: [join(source, entry)],
      bundle: true,
      write: false,
      metafile: true,
      platform: "node",
      format: "esm",
      splitting: true,
      outdir: "unused",
      external: ["vscode"],
      packages: "external",
      logLevel: "silent",
    });

    const loaded = staticallyLoaded(metafile, entry);
    expect(loaded.length).toBeGreaterThan(20);
    expect(
      loaded.filter((path) =>
        /server\/upstream\/(?:connect|proxy)\.ts$|src\/remote\/|src\/team\/(?!remote-variables\.ts)|^(?:ioredis|aws4fetch)$|^node:(?:https|http2|tls|dgram)$/.test(
          path,
        ),
      ),
    ).toEqual([]);
  },
);

/** All modules that an entry point loads before anything asks for more, without dynamic imports. */
function staticallyLoaded({ inputs }: Metafile, entry: string): readonly string[] {
  const first = Object.keys(inputs).find((path) => path.endsWith(`src/${entry}`));
  const loaded = new Set(first === undefined ? [] : [first]);
  for (const path of loaded)
    for (const { path: next, kind } of inputs[path]?.imports ?? [])
      if (kind !== "dynamic-import") loaded.add(next);
  return [...loaded];
}

function isAllowed(file: string, target: string): boolean {
  const part = partOf(file);
  if (target === "vscode" && file.endsWith("-model.ts")) return false;
  const libraries = LIBRARIES[part] ?? [];
  const isLibrary = libraries.some((name) => target === name || target.startsWith(`${name}/`));
  return target.startsWith("node:") ? part !== "core" : isLibrary;
}

function partOf(file: string): string {
  return file.split(/[\\/]/)[0] ?? "";
}

function importsOf(folder: string): readonly Import[] {
  return filesIn(folder)
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) => {
      const text = readFileSync(join(folder, file), "utf8");
      const found = text.matchAll(
        /(?:^|\n)\s*(?:import|export)\b[^"'`;]*?\bfrom\s*["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']\s*\)|(?:^|\n)import\s+["']([^"']+)["']/g,
      );
      return [...found].map((match) => ({ file, target: match[1] ?? match[2] ?? match[3] ?? "" }));
    });
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => /\.(ts|cjs|py)$/.test(path))
    .sort();
}

/** The systems keep the names of their originals. */
test("no two exported types share a name, except those of the five systems", () => {
  const names = filesIn(source)
    .filter((file) => file.endsWith(".ts") && !file.startsWith("systems/"))
    .flatMap((file) =>
      [...readFileSync(join(source, file), "utf8").matchAll(/^export (?:interface|type|class) (\w+)/gm)].map(
        ([, name = ""]) => ({ name, file }),
      ),
    );
  const shared = names.filter(({ name, file }) =>
    names.some((one) => one.name === name && one.file !== file),
  );

  expect(names.length).toBeGreaterThan(500);
  expect(shared).toEqual([]);
});
