// Writes the hooks for Node and Python as they ship.
import { copyFileSync, cpSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { buildSync } from "esbuild";
import { rootDir } from "./host/paths.mjs";

/** Files of the hooks for Node that are loaded by name, each with everything it needs. */
const FILES = ["start", "calls", "folders", "probe"];

/** @param {string} target the folder that gets `javascript/` and `python/` */
export function writeHooks(target) {
  const source = join(rootDir, "src", "hooks");
  cpSync(join(source, "python"), join(target, "python"), {
    recursive: true,
    filter: (path) => extname(path) === "" || extname(path) === ".py",
  });
  const [scripts, shipped] = [join(source, "javascript"), join(target, "javascript")];
  buildSync({
    entryPoints: FILES.map((name) => join(scripts, `${name}.cjs`)),
    outdir: shipped,
    outExtension: { ".js": ".cjs" },
    bundle: true,
    // Loaded only in processes that need them.
    external: ["./calls.cjs", "./folders.cjs"],
    platform: "node",
    target: "node18",
    minify: true,
  });
  // Without this file, each process reads the large package.json of the package.
  writeFileSync(join(shipped, "package.json"), '{ "type": "commonjs" }\n');
  // Any version of Node reads this file, which loads the others beside it.
  copyFileSync(join(scripts, "tapedeck-preload.cjs"), join(shipped, "tapedeck-preload.cjs"));
}
