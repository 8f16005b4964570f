import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from "node:fs";
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { NOTICES } from "../scripts/notices.mjs";
import { namesInZip } from "./host/support/zip.ts";
import { builtFiles } from "./support/built-files.ts";
import { casesOf } from "./support/cases.ts";

const root = resolve(import.meta.dirname, "..");
const home = mkdtempSync(join(tmpdir(), "tapedeck-packaging-"));
const [vsix, again] = [join(home, "one.vsix"), join(home, "two.vsix")];
const node = (args: readonly string[], env: Readonly<Record<string, string>> = {}): string =>
  execFileSync(process.execPath, args, { cwd: root, encoding: "utf8", env: { ...process.env, ...env } });

beforeAll(() => {
  if (!existsSync(join(root, NOTICES))) node([join(root, "scripts", "build.mjs")]);
  node([join(root, "scripts", "package.mjs"), vsix], { TZ: "Asia/Tokyo" });
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const inVsix = (name: string): string => execFileSync("unzip", ["-p", vsix, name], { encoding: "utf8" });

function packed(into: string): { readonly files: readonly string[]; readonly bytes: Buffer } {
  const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", into];
  const { stdout } = spawnSync("npm", args, {
    cwd: root,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  const [one] = JSON.parse(stdout) as { filename: string; files: { path: string }[] }[];
  const bytes = readFileSync(join(into, one?.filename ?? ""));
  return { files: one?.files.map(({ path }) => path) ?? [], bytes };
}

interface Manifest {
  readonly main: string;
  readonly types: string;
  readonly bin: unknown;
  readonly exports: unknown;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

/** What builds everything once more takes long. */
const isQuick = casesOf({ quick: true, long: false });
const WHY = "(everything is built once more: npm run test:long)";

let once: ReturnType<typeof packed> | undefined;
const packedOnce = (): ReturnType<typeof packed> => (once ??= packed(home));

/** Returns the folder of every package that is bundled in a shipped file. */
async function bundled(): Promise<readonly string[]> {
  const files = await builtFiles();
  const sources = [...files.values()].flatMap(({ sources: of }) => of);
  const folders = sources.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  return [...new Set(folders)].sort();
}

it.skipIf(isQuick)(
  `the license text of each package that is bundled ships with it, in both archives ${WHY}`,
  async () => {
    const notices = readFileSync(join(root, NOTICES), "utf8");

    const missing = (await bundled()).filter((folder) => {
      const { name, version } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as {
        name: string;
        version: string;
      };
      const own = readdirSync(join(root, folder)).find((file) => /^licen[cs]e/i.test(file));
      const text =
        own === undefined ? "Permission is hereby granted" : readFileSync(join(root, folder, own), "utf8");
      return (
        !notices.includes(`\n${name} ${version} (`) || !notices.includes(text.replaceAll("\r\n", "\n").trim())
      );
    });

    expect(missing).toEqual([]);
    expect(notices.match(/Copyright/g)?.length).toBeGreaterThan(12);
    expect(inVsix(`extension/${NOTICES}`)).toBe(notices);
    expect(packedOnce().files).toContain(NOTICES);
  },
);

it("the documents on security ship, and every link of the page of the extension leads somewhere", () => {
  const documents = ["SECURITY.md", "docs/security.md", "docs/runs.md", "docs/key.md"];
  const readme = inVsix("extension/readme.md");
  const links = [...readme.matchAll(/!?\[[^\]]*\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);

  expect(namesInZip(vsix)).toEqual(expect.arrayContaining(documents.map((path) => `extension/${path}`)));
  expect(packedOnce().files).toEqual(expect.arrayContaining(documents));
  expect(links.filter((target) => !/^(?:https:\/\/|#)/.test(target))).toEqual([]);
  // The README's pictures are not served to the page yet: a missing picture is worse than none.
  expect(links.filter((target) => target.endsWith(".png"))).toEqual([]);
  expect(links.length).toBeGreaterThan(10);
});

it("the registry's package has the command line and the library, and nothing that only VS Code loads", () => {
  const { files } = packedOnce();

  expect(files).toEqual(
    expect.arrayContaining(
      ["cli.js", "cli/main.cjs", "index.js", "esm/index.js"].map((name) => `dist/${name}`),
    ),
  );
  expect(files.filter((path) => /^dist\/(?:editor|grammars|vscode|\w+\.cjs)/.test(path))).toEqual([]);
});

/** It requires these in a try statement, which bundlers understand. */
const OPTIONAL_OF_WS = ["bufferutil", "utf-8-validate"];

it("the registry's package names files that it has, and its library needs no package that it does not declare", () => {
  const { files } = packedOnce();
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Manifest;
  const named = JSON.stringify([manifest.main, manifest.types, manifest.bin, manifest.exports]).match(
    /dist\/[\w./-]+/g,
  );

  const library = files.filter((path) => /^dist\/(?!cli|hooks)[\w/-]+\.js$/.test(path));
  const needed = library.flatMap((path) =>
    [
      ...readFileSync(join(root, path), "utf8").matchAll(/\b(?:require|import)\("((?!\.|node:)[^"]+)"\)/g),
    ].map(([, name = ""]) => name),
  );

  expect(named?.filter((path) => !files.includes(path))).toEqual([]);
  const known = [...Object.keys(manifest.peerDependencies), ...OPTIONAL_OF_WS];
  const isKnown = (name: string): boolean =>
    isBuiltin(name) || known.some((one) => name === one || name.startsWith(`${one}/`));
  expect(needed.filter((name) => !isKnown(name))).toEqual([]);
});

it("of the hooks for Node those files ship that are loaded by name, and no part of one beside it", () => {
  const folder = "dist/hooks/javascript/";
  const names = [...packedOnce().files, ...namesInZip(vsix).map((name) => name.replace("extension/", ""))]
    .filter((name) => name.startsWith(folder))
    .map((name) => name.slice(folder.length));

  const loaded = ["calls", "folders", "probe", "start", "tapedeck-preload"];
  const files = [...loaded.map((name) => `${name}.cjs`), "package.json"];
  expect(names.toSorted()).toEqual([...files, ...files].toSorted());
});

it("the package installs beside any version of the packages that it can use", () => {
  const { peerDependencies: peers, peerDependenciesMeta: kinds } = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8"),
  ) as {
    peerDependencies: Record<string, string>;
    peerDependenciesMeta: Record<string, { optional?: boolean }>;
  };

  // npm refuses to install a package if an optional peer is there in another version.
  expect(new Set(Object.values(peers))).toEqual(new Set(["*"]));
  expect(Object.keys(kinds).toSorted()).toEqual(Object.keys(peers).toSorted());
  expect(Object.values(kinds).every(({ optional }) => optional === true)).toBe(true);
});

it("the manifest and the document on security name one repository", () => {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    publisher: string;
    homepage: string;
    repository: { url: string };
    bugs: { url: string };
  };
  const repository = `https://github.com/${manifest.publisher}/tapedeck`;

  expect(manifest.repository.url).toBe(`git+${repository}.git`);
  expect([manifest.homepage, manifest.bugs.url]).toEqual([`${repository}#readme`, `${repository}/issues`]);
  expect(readFileSync(join(root, "SECURITY.md"), "utf8")).toContain(
    `<${repository}/security/advisories/new>`,
  );
});

it.skipIf(isQuick)(
  `two packagings of one commit give the same bytes, wherever and whenever they are made ${WHY}`,
  () => {
    const one = packedOnce().bytes;
    const time = new Date(1_000_000_000_000);
    utimesSync(join(root, "dist", "cli.js"), time, time);

    execFileSync(
      "sh",
      ["-c", `umask 077 && exec "$0" "$@"`, process.execPath, "scripts/package.mjs", again],
      {
        cwd: root,
        env: { ...process.env, TZ: "America/New_York" },
      },
    );

    expect(readFileSync(again).equals(readFileSync(vsix))).toBe(true);
    expect(packed(mkdtempSync(join(home, "npm-"))).bytes.equals(one)).toBe(true);
  },
);
