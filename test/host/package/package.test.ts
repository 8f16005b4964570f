import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rootDir } from "../../../scripts/host/paths.mjs";
import { openWorkbench } from "../support/open-workbench.ts";
import { namesInZip } from "../support/zip.ts";

/** All that a user of the extension needs. */
const allowed = [
  /^\[Content_Types\]\.xml$/,
  /^extension\.vsixmanifest$/,
  /^extension\/(package\.json|readme\.md|changelog\.md|LICENSE\.txt|SECURITY\.md)$/,
  /^extension\/docs\/[\w-]+\.(md|json)$/,
  /^extension\/dist\/THIRD-PARTY-NOTICES\.txt$/,
  /^extension\/dist\/(connect|extension|deck|folder-check|import-recordings|metagpt-caches|proxy-agent|read-yaml|secret-rules)\.cjs$/,
  /^extension\/dist\/cli\.js$/,
  /^extension\/dist\/grammars\/tree-sitter(-typescript|-tsx|-python)?\.wasm$/,
  /^extension\/dist\/grammars\/tree-sitter\.cjs$/,
  /^extension\/dist\/hooks\/.+\.(cjs|py)$/,
  /^extension\/schemas\/.+\.json$/,
  /^extension\/media\/.+\.(svg|png|md|json)$/,
];

describe("the package", () => {
  const folder = mkdtempSync(join(tmpdir(), "tape-package-"));
  const vsix = join(folder, "tapedeck.vsix");
  beforeAll(() => {
    // As when Python has run the hooks from the checkout.
    const cache = join(rootDir, "dist", "hooks", "python", "__pycache__");
    mkdirSync(cache, { recursive: true });
    writeFileSync(join(cache, "sitecustomize.cpython-311.pyc"), "");
    execFileSync(process.execPath, [join(rootDir, "scripts", "package.mjs"), vsix], { stdio: "pipe" });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("holds what a user needs and nothing else", () => {
    const names = namesInZip(vsix);

    expect(names.filter((name) => !allowed.some((pattern) => pattern.test(name)))).toEqual([]);
    expect(names).toEqual(
      expect.arrayContaining(
        [
          "dist/extension.cjs",
          "dist/deck.cjs",
          "dist/connect.cjs",
          "dist/folder-check.cjs",
          "dist/metagpt-caches.cjs",
          "dist/proxy-agent.cjs",
          "dist/read-yaml.cjs",
          "dist/secret-rules.cjs",
          "dist/cli.js",
          "dist/grammars/tree-sitter-python.wasm",
          "readme.md",
          "LICENSE.txt",
        ].map((name) => `extension/${name}`),
      ),
    );
    expect(names.filter((name) => /screenshots|\.map$/.test(name))).toEqual([]);
  });

  it("installs into VS Code and works there", async () => {
    const bench = await openWorkbench({ vsix });

    await expect.poll(() => bench.statusBar()).toMatch(/^Strict/);
    expect(await bench.offeredCommands("Tapedeck: Toggle")).not.toEqual([]);
  });
});
