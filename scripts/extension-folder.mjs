// The manifest of the extension. The checkout's own manifest is the npm package's, whose "main" is the library: tools that do
// not know "exports" read it.
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { extensionDir, rootDir } from "./host/paths.mjs";

/** @returns {any} */
export function readExtensionManifest() {
  const manifest = JSON.parse(readFileSync(join(rootDir, "package.json"), "utf8"));
  return { ...manifest, main: "./dist/extension.cjs" };
}

/**
 * Makes the folder from which VS Code runs the checkout. Files that the extension host loads are copies, because VS Code
 * finds the extension of a file by its folder. The others are links.
 */
export function writeExtensionFolder() {
  rmSync(extensionDir, { recursive: true, force: true });
  mkdirSync(join(extensionDir, "dist"), { recursive: true });
  writeFileSync(join(extensionDir, "package.json"), JSON.stringify(readExtensionManifest(), null, 2));
  const texts = readdirSync(rootDir).filter((name) => name.startsWith("package.nls"));
  for (const name of [...texts, "dist/extension.cjs", "dist/deck.cjs", "dist/editor"])
    cpSync(join(rootDir, name), join(extensionDir, name), { recursive: true });
  for (const name of ["docs", "l10n", "media", "schemas", "skills", ...PROGRAM])
    symlinkSync(join(rootDir, name), join(extensionDir, name), "junction");
}

/** The programs that the extension starts, and files that it reads. */
const PROGRAM = ["cli.js", "cli", "grammars", "hooks", "package.json"].map((name) => `dist/${name}`);
