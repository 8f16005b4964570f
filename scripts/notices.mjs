// Collects the license texts of everything that ships: the bundled packages and the grammars.
import { readFileSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { rootDir } from "./host/paths.mjs";

/** The path of the built file. */
export const NOTICES = "dist/THIRD-PARTY-NOTICES.txt";

/** Packages without a license text, each with a package of the same repository, author, and license that has one. */
const SAME_AS = new Map([["proxy-agent-negotiate", "https-proxy-agent"]]);

/** Packages of the MIT license whose text is only in their repository, with the copyright of that text and of its parts. */
const COPYRIGHTS = new Map([
  [
    "node_modules/@cfworker/json-schema",
    [
      "2020 Jeremy Danyow",
      "Copyright (c) 2015-2021 Evgeny Poberezkin (parts of ajv)",
      "Copyright (c) Mathias Bynens (parts of punycode.js)",
    ].join("\n"),
  ],
]);

/** Compiled into @vscode/tree-sitter-wasm, which contains only its own license text. */
const GRAMMARS = [
  { name: "tree-sitter", copyright: "2018 Max Brunsfeld" },
  { name: "tree-sitter-python", copyright: "2016 Max Brunsfeld" },
  { name: "tree-sitter-typescript", copyright: "2017 Max Brunsfeld" },
];

/** Returns the packages of sources as sorted folders. @param {readonly string[]} sources paths of the bundled modules */
export function bundledPackages(sources) {
  const folders = sources.flatMap(
    (path) =>
      /node_modules\/(?:(?:@[^/]+\/)?[^/]+\/node_modules\/)*(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? [],
  );
  return [...new Set([...folders, "node_modules/@vscode/tree-sitter-wasm"])].sort();
}

/** @param {readonly string[]} sources as `bundledPackages` @returns {string} @throws where a package has no text */
export function noticesOf(sources) {
  const packages = bundledPackages(sources).map(noticeOfPackage);
  const grammars = GRAMMARS.map(({ name, copyright }) => notice(name, "MIT", mit(copyright)));
  return [HEAD, ...packages, ...grammars].join("\n");
}

const HEAD = "Tapedeck contains parts of these works, each under the license that is given with it.\n";

/** @param {string} folder */
function noticeOfPackage(folder) {
  const manifest = JSON.parse(readFileSync(join(rootDir, folder, "package.json"), "utf8"));
  const copyright = COPYRIGHTS.get(folder);
  const text = copyright
    ? mit(copyright)
    : (textIn(folder) ?? textIn(`node_modules/${SAME_AS.get(basename(folder))}`));
  if (text === undefined)
    throw new Error(`${folder} is bundled and has no license text: say in scripts/notices.mjs where it is.`);
  return notice(`${manifest.name} ${manifest.version}`, manifest.license, text);
}

/** @param {string} folder */
function textIn(folder) {
  const path = join(rootDir, folder);
  const names = readdirSync(path).filter((name) => /^(?:licen[cs]e|copying|notice)\b/i.test(name));
  return names.length === 0
    ? undefined
    : names
        .sort()
        .map((name) => readFileSync(join(path, name), "utf8").replaceAll("\r\n", "\n").trim())
        .join("\n\n");
}

/** @param {string} title @param {string} license @param {string} text */
function notice(title, license, text) {
  return `${"-".repeat(80)}\n${title} (${license})\n\n${text}\n`;
}

/** @param {string} copyright */
function mit(copyright) {
  return `The MIT License (MIT)

Copyright (c) ${copyright}

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.`;
}
