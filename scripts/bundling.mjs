// Options that turn sources into programs, both for shipped files and for tests and tables.
import { rootDir } from "./host/paths.mjs";

/** @satisfies {import("esbuild").BuildOptions} */
export const forNode = /** @type {const} */ ({
  absWorkingDir: rootDir,
  bundle: true,
  platform: "node",
  target: "node20",
  // A UMD `main` hides its requires from the bundler; `module` does not.
  mainFields: ["module", "main"],
  logLevel: "warning",
});

/** Bundled CommonJS libraries ask for `require`, which an ES module does not have. */
export const requireForModules = [
  'import { createRequire as createRequireForBundle } from "node:module";',
  "const require = createRequireForBundle(import.meta.url);",
].join("\n");

/** One file that Node runs. @satisfies {import("esbuild").BuildOptions} */
export const asProgram = /** @type {const} */ ({
  ...forNode,
  format: "esm",
  banner: { js: requireForModules },
});
