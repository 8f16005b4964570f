// npm run screenshots [-- NAME]: takes the pictures of the README and the walkthrough into media/, in light and dark. Their
// content is in test/host/screenshots/pictures.ts. Needs two fonts and pngquant, from Debian's packages or elsewhere.
import { spawnSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { programOf } from "./checks/run.mjs";
import { rootDir } from "./host/paths.mjs";

const NEEDED = [
  { package: "fonts-jetbrains-mono", isThere: () => hasFont("JetBrains Mono") },
  { package: "fonts-freefont-ttf", isThere: () => hasFont("FreeMono") },
  { package: "pngquant", isThere: () => spawnSync("pngquant", ["--version"]).status === 0 },
];

const missing = NEEDED.filter(({ isThere }) => !isThere()).map((needed) => needed.package);
if (missing.length > 0) {
  console.error(`The pictures need ${missing.join(", ")}. Run: apt-get install ${missing.join(" ")}`);
  process.exit(1);
}

const begin = Date.now();
const name = process.argv[2];
const args = ["run", "--config", "test/host/e2e/vitest.config.ts", "test/host/screenshots"];
const { status } = spawnSync(
  process.execPath,
  [programOf("vitest"), ...args, ...(name ? ["--testNamePattern", name] : [])],
  { cwd: rootDir, stdio: "inherit" },
);
if (status === 0) ["screenshots", "walkthrough"].forEach(shrinkPictures);
process.exit(status ?? 1);

/** @param {string} family */
function hasFont(family) {
  return spawnSync("fc-list", [family], { encoding: "utf8" }).stdout?.trim() !== "";
}

/** Reduces each new picture of a folder to a palette, which makes it about a third of its size. @param {string} folder */
function shrinkPictures(folder) {
  const dir = join(rootDir, "media", folder);
  const files = readdirSync(dir)
    .map((file) => join(dir, file))
    .filter((file) => statSync(file).mtimeMs >= begin);
  if (files.length === 0) return;
  spawnSync("pngquant", ["--force", "--ext", ".png", "--skip-if-larger", "--strip", "256", ...files]);
}
