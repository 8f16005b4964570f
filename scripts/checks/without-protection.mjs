import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { rootDir } from "../host/paths.mjs";

/** @typedef {import("./protections.mjs").Protection} Protection */

/** The source of a protection's file without it. @param {Protection} protection @returns {{ path: string, contents: string }} */
export function sourceWithout({ file, find, replace }) {
  const path = resolve(rootDir, file);
  const parts = readFileSync(path, "utf8").split(find);
  if (parts.length !== 2) throw new Error(`"${find}" occurs ${parts.length - 1} times in ${file}, not once.`);
  return { path, contents: parts.join(replace) };
}

/** An esbuild plugin that takes one protection out of the source while it is bundled. @param {Protection} protection @returns {import("esbuild").Plugin} */
export function withoutProtection(protection) {
  const { path, contents } = sourceWithout(protection);
  return {
    name: "without-protection",
    setup(build) {
      build.onLoad({ filter: /\.ts$/ }, (args) =>
        args.path === path ? { contents, loader: "ts" } : undefined,
      );
    },
  };
}

/** The same for bundles that tests make while TAPEDECK_WITHOUT names a protection. @returns {import("esbuild").Plugin[]} */
export function missingProtection() {
  const missing = namedInEnvironment();
  return missing === undefined ? [] : [withoutProtection(missing)];
}

/**
 * Does the same for programs that tests bundle with Rolldown and for sources that vitest transforms.
 * @returns {{ name: string, enforce: "pre", load(id: string): string | undefined }[]}
 */
export function missingInModules() {
  const missing = namedInEnvironment();
  if (missing === undefined) return [];
  const { path, contents } = sourceWithout(missing);
  return [
    {
      name: "without-protection",
      enforce: "pre",
      load: (id) => (id.split("?", 1)[0] === path ? contents : undefined),
    },
  ];
}

/** Returns the text of a source without the removed protection, for tests that read sources. @param {string} path @returns {string} */
export function readSource(path) {
  const missing = namedInEnvironment();
  const taken = missing === undefined ? undefined : sourceWithout(missing);
  return taken?.path === resolve(path) ? taken.contents : readFileSync(path, "utf8");
}

/** @returns {Protection | undefined} */
function namedInEnvironment() {
  const named = process.env["TAPEDECK_WITHOUT"];
  return named === undefined ? undefined : JSON.parse(named);
}
