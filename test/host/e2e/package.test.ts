import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rootDir } from "../../../scripts/host/paths.mjs";
import { aLastingFolder } from "../../support/a-folder.ts";
import { casesOf } from "../../support/cases.ts";
import { packExtension } from "../support/pack-extension.ts";
import { namesInZip, textInZip } from "../support/zip.ts";

/** All that a user of the extension needs. */
const allowed = [
  /^\[Content_Types\]\.xml$/,
  /^extension\.vsixmanifest$/,
  /^extension\/(package\.json|readme\.md|changelog\.md|LICENSE\.txt|SECURITY\.md)$/,
  /^extension\/docs\/((systems|tables)\/)?[\w-]+\.(md|json)$/,
  /^extension\/dist\/THIRD-PARTY-NOTICES\.txt$/,
  /^extension\/dist\/(deck|extension)\.cjs$/,
  /^extension\/dist\/editor\/[\w-]+\.cjs$/,
  /^extension\/dist\/(cli\.js|package\.json)$/,
  /^extension\/dist\/cli\/[\w-]+\.cjs$/,
  /^extension\/dist\/grammars\/tree-sitter(-typescript|-tsx|-python)?\.wasm$/,
  /^extension\/dist\/hooks\/.+\.(cjs|py)$/,
  /^extension\/dist\/hooks\/javascript\/package\.json$/,
  /^extension\/schemas\/.+\.json$/,
  /^extension\/skills\/tapedeck\/SKILL\.md$/,
  /^extension\/(l10n\/bundle\.l10n|package\.nls)(\.[\w.-]+)?\.json$/,
  /^extension\/media\/.+\.(svg|png|md|json)$/,
];

describe("the package", () => {
  const folder = aLastingFolder();
  const vsix = join(folder.path, "tapedeck.vsix");
  beforeAll(() => {
    // As when Python has run the hooks from the checkout.
    const cache = join(rootDir, "dist", "hooks", "python", "__pycache__");
    mkdirSync(cache, { recursive: true });
    writeFileSync(join(cache, "sitecustomize.cpython-311.pyc"), "");
    packExtension(vsix);
  });
  afterAll(folder.remove);

  it("holds what a user needs and nothing else", () => {
    const names = namesInZip(vsix);

    expect(names.filter((name) => !allowed.some((pattern) => pattern.test(name)))).toEqual([]);
    expect(names).toEqual(
      expect.arrayContaining(
        [
          "dist/extension.cjs",
          "dist/deck.cjs",
          "dist/cli.js",
          "dist/grammars/tree-sitter-python.wasm",
          "l10n/bundle.l10n.zh-cn.json",
          "package.nls.json",
          "package.nls.zh-cn.json",
          "readme.md",
          "LICENSE.txt",
        ].map((name) => `extension/${name}`),
      ),
    );
    expect(names.filter((name) => /screenshots|\.map$/.test(name))).toEqual([]);
  });

  it.each(casesOf({ quick: [], long: ["https://example.com/files"] }))(
    "has its pictures from %s",
    (address) => {
      const served = join(folder.path, "served.vsix");
      packExtension(served, [address]);

      expect(textInZip(served, "extension/readme.md")).toContain(
        `](${address}/media/screenshots/calls-light.png)`,
      );
    },
  );

  it("has a page without links to a missing folder and without pictures that are not served", () => {
    const page = textInZip(vsix, "extension/readme.md");

    expect(page).not.toContain("![");
    expect(page).toContain("/blob/HEAD/docs/vscode.md)");
    expect([...page.matchAll(/\]\((?![a-z]+:|#)[^)]*\)/gu)].map(String)).toEqual([]);
  });
});
