// npm run package: makes the .vsix from the build. What goes in is gathered in a folder of its own, so that nothing
// else can: the bundles of the extension and the command line, grammars, hooks, and what the manifest names.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, extname, join } from "node:path";
import { createVSIX } from "@vscode/vsce";
import { rootDir } from "./host/paths.mjs";

const contents = [
  "dist/extension.cjs",
  "dist/deck.cjs",
  "dist/connect.cjs",
  "dist/folder-check.cjs",
  "dist/proxy-agent.cjs",
  "dist/metagpt-caches.cjs",
  "dist/secret-rules.cjs",
  "dist/read-yaml.cjs",
  "dist/import-recordings.cjs",
  "dist/cli.js",
  "dist/grammars",
  "dist/hooks",
  "media",
  "schemas",
  "README.md",
  "CHANGELOG.md",
  "LICENSE",
];

/** Pictures of the README, and what Python leaves beside the hooks when it has run them. */
const leftOut = new Set(["screenshots", "__pycache__"]);

/** Of the manifest, what only the checkout and the registry's package need. */
const buildOnly = ["scripts", "devDependencies", "dependencies", "allowScripts", "files", "exports", "types"];

const manifest = JSON.parse(readFileSync(join(rootDir, "package.json"), "utf8"));
const target = process.argv[2] ?? join(rootDir, `${manifest.name}-${manifest.version}.vsix`);
const staging = mkdtempSync(join(tmpdir(), "tape-vsix-"));
try {
  gather();
  await createVSIX({
    cwd: staging,
    packagePath: target,
    dependencies: false,
    allowMissingRepository: true,
    rewriteRelativeLinks: false,
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
  writeFileSync(join(staging, "package.json"), JSON.stringify(manifest, null, 2));
  dropPictures(join(staging, "README.md"));
}

/** The files that contributions refer to, such as "./schemas/recording.json". @param {unknown} value @returns {string[]} */
function namedByManifest(value) {
  if (typeof value === "string") return /^\.\/[\w./-]+$/.test(value) ? [value.slice(2)] : [];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(namedByManifest) : [];
}

/** The pictures stay in the repository; a link to one would show as broken. @param {string} readme */
function dropPictures(readme) {
  if (!existsSync(readme)) return;
  const text = readFileSync(readme, "utf8").replaceAll(/^!\[[^\]]*\]\(media\/screenshots\/[^)]*\)\n+/gm, "");
  writeFileSync(readme, text);
}
