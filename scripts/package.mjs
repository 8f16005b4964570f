// npm run package [-- FILE [PICTURES]]: makes the .vsix from the build. First copies its content to a separate folder, so
// that no other file gets in: bundles of the extension and the command line, grammars, hooks, and files of the manifest.
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, extname, join } from "node:path";
import { createVSIX } from "@vscode/vsce";
import { readExtensionManifest } from "./extension-folder.mjs";
import { rootDir } from "./host/paths.mjs";
import { NOTICES } from "./notices.mjs";

const contents = [
  "dist/extension.cjs",
  "dist/deck.cjs",
  "dist/editor",
  "dist/cli.js",
  "dist/package.json",
  "dist/cli",
  "dist/grammars",
  "dist/hooks",
  "media",
  "schemas",
  "l10n",
  "package.nls.json",
  "package.nls.zh-cn.json",
  "README.md",
  "CHANGELOG.md",
  "LICENSE",
  "SECURITY.md",
  "docs",
  NOTICES,
];

/** Not packed: pictures that the page loads from the repository, Python's caches, and pages for contributors. */
const leftOut = new Set(["screenshots", "__pycache__", "decisions", "how-to"]);

/** Fields of the manifest that only the checkout and the npm package need. */
const buildOnly = ["scripts", "devDependencies", "dependencies", "allowScripts", "files", "exports", "types"];

// Packaging a commit twice gives the same bytes: the archiver sorts the files and uses this time and time zone.
process.env["SOURCE_DATE_EPOCH"] ??= commitTime();
process.env["TZ"] = "UTC";

const manifest = readExtensionManifest();
const target = process.argv[2] ?? join(rootDir, `${manifest.name}-${manifest.version}.vsix`);
/** The address that serves the repository's files, for the pictures of the page. */
const pictures = process.argv[3];
const staging = mkdtempSync(join(tmpdir(), "tape-vsix-"));
try {
  gather();
  await createVSIX({
    cwd: staging,
    packagePath: target,
    dependencies: false,
    rewriteRelativeLinks: false, // ours are, see `pageText`
  });
} finally {
  rmSync(staging, { recursive: true, force: true });
}

function gather() {
  if (!existsSync(join(rootDir, "dist", "extension.cjs")))
    throw new Error("There is no build: run `npm run build`.");
  for (const path of [...contents, ...namedByManifest(manifest.contributes)]) {
    const source = join(rootDir, path);
    if (!existsSync(source)) continue;
    mkdirSync(dirname(join(staging, path)), { recursive: true });
    cpSync(source, join(staging, path), {
      recursive: true,
      filter: (file) => !leftOut.has(basename(file)) && extname(file) !== ".map",
    });
  }
  for (const name of buildOnly) delete manifest[name];
  manifest.description = "%description%"; // the package registry shows the text itself
  writeFileSync(join(staging, "package.json"), JSON.stringify(manifest, null, 2));
  for (const page of ["README.md", "CHANGELOG.md"]) {
    const file = join(staging, page);
    writeFileSync(file, pageText(readFileSync(file, "utf8")));
  }
  settle(staging);
}

/**
 * Returns a page as the editor shows it: without files beside it, and with light pictures from the web only. Without an address
 * for pictures they are left out. Links lead to the repository. @param {string} text
 */
function pageText(text) {
  const repository = manifest.repository.url.replace(/^git\+|\.git$/g, "");
  return text
    .replace(/<picture>[^]*?<img alt="([^"]*)" src="([^"]*)">\n<\/picture>/g, "![$1]($2)")
    .replace(/!\[([^\]]*)\]\((?![a-z]+:)([^)\s]+)\)\n\n/g, (_, title, path) =>
      pictures === undefined ? "" : `![${title}](${pictures}/${path})\n\n`,
    )
    .replace(/\]\((?![a-z]+:|#)([^)\s]+)\)/g, (_, path) => `](${repository}/blob/HEAD/${path})`);
}

/** Sets the modes of the files, so that the archive does not depend on the checkout except for executable files. @param {string} folder */
function settle(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    chmodSync(path, entry.isDirectory() || basename(path) === "cli.js" ? 0o755 : 0o644);
  }
}

/** Returns the time of the commit in seconds since the epoch; outside a repository, a fixed day. */
function commitTime() {
  const { stdout, status } = spawnSync("git", ["log", "-1", "--format=%ct"], {
    cwd: rootDir,
    encoding: "utf8",
  });
  return status === 0 ? stdout.trim() : "499162500";
}

/** The files that contributions refer to, such as "./schemas/recording.json". @param {unknown} value @returns {string[]} */
function namedByManifest(value) {
  if (typeof value === "string") return /^\.\/[\w./-]+$/.test(value) ? [value.slice(2)] : [];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(namedByManifest) : [];
}
