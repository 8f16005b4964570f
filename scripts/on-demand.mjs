// Parts of a CommonJS program that are loaded when one of their functions is first called. Each part is a separate file.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { rootDir } from "./host/paths.mjs";

/** Names of parts, and the modules in each, as paths below src. @typedef {Readonly<Record<string, readonly string[]>>} Parts */

const ENTRY = "\0part:";
const CALLER = "\0on-demand:";

/** @param {string} path */
const fileOf = (path) => join(rootDir, "src", path);

/** The entry points of a bundle that has these parts. @param {Parts} parts */
export const entriesOnDemand = (parts) =>
  Object.fromEntries(Object.keys(parts).map((name) => [name, ENTRY + name]));

/**
 * Has importers of these parts call functions that load the part. A function that is named in `makers` returns a function: the
 * part is loaded when that one is first called.
 * @param {Parts} parts @param {readonly string[]} makers @returns {import("rolldown").Plugin}
 */
export function loadOnDemand(parts, makers) {
  const partOf = new Map(
    Object.entries(parts).flatMap(([name, paths]) => paths.map((path) => [fileOf(path), name])),
  );
  return {
    name: "on-demand",
    async resolveId(id, importer) {
      if (id.startsWith(ENTRY)) return id;
      if (importer === undefined || importer.startsWith(ENTRY)) return undefined;
      // All files of the program are in one folder, wherever their sources are.
      if (importer.startsWith(CALLER)) return { id, external: true };
      const resolved = await this.resolve(id, importer, { skipSelf: true });
      if (resolved === null) return undefined;
      const part = partOf.get(resolved.id);
      return part === undefined || part === partOf.get(importer) ? resolved : CALLER + resolved.id;
    },
    load(id) {
      if (id.startsWith(ENTRY))
        return (parts[id.slice(ENTRY.length)] ?? [])
          .map((path) => `export * from ${JSON.stringify(fileOf(path))};`)
          .join("\n");
      if (!id.startsWith(CALLER)) return undefined;
      const path = id.slice(CALLER.length);
      const file = JSON.stringify(`./${partOf.get(path)}.cjs`);
      const { functions, constants } = exportsOf(path);
      const calls = [...functions].map((name) => {
        const call = `(part ??= require(${file})).${name}(...given)`;
        const result = makers.includes(name)
          ? `{ let made; return (...asked) => (made ??= ${call})(...asked); }`
          : call;
        return `export const ${name} = (...given) => ${result};`;
      });
      return ["let part;", ...calls, ...constants].join("\n");
    },
  };
}

/**
 * Returns the functions that a module exports, and its constants that are text or numbers. The bundler reports importers that
 * need other names.
 * @param {string} path
 */
function exportsOf(path) {
  const source = readFileSync(path, "utf8");
  const exported = /^export (?:(?:async )?function\*? (\w+)|const (\w+) = (?:async )?\()/gm;
  const functions = [...source.matchAll(exported)].map(([, name, arrow = ""]) => name ?? arrow);
  const constants = [...source.matchAll(/^export const \w+ = (?:"[^"]*"|[\d_]+);$/gm)].map(([line]) => line);
  return { functions: new Set(functions), constants };
}

/**
 * Collects the modules that are loaded at once with those of `entries`, which are paths below src.
 * @param {readonly string[]} entries @returns {{ paths: ReadonlySet<string>, plugin: import("rolldown").Plugin }}
 */
export function collectLoaded(entries) {
  /** @type {Set<string>} */
  const paths = new Set();
  return {
    paths,
    plugin: {
      name: "collect-loaded",
      buildEnd() {
        const waiting = entries.map(fileOf);
        for (const id of waiting) {
          if (paths.has(id)) continue;
          paths.add(id);
          waiting.push(...(this.getModuleInfo(id)?.importedIds ?? []));
        }
      },
    },
  };
}

const GETTER =
  /Object\.defineProperty\(exports, "([\w$]+)", \{\s*enumerable: true,\s*get: function\(\) \{\s*return ([\w$]+);\s*\}\s*\}\);/g;

const BEYOND_ASCII = /[^\0-\x7f]+/g;

/**
 * Exports functions, classes, and constants as values: hundreds of getters cost more than the code behind them. They are
 * written at the end of a file, when each has its value. Escapes characters beyond ASCII, because Node reads and compiles
 * other texts in twice the time. @type {import("rolldown").Plugin}
 */
export const fastToLoad = {
  name: "fast-to-load",
  generateBundle(_options, files) {
    for (const file of Object.values(files)) {
      if (file.type !== "chunk") continue;
      const declared = /^(?:(?:async )?function\*? |class |const )([\w$]+)/gm;
      const fixed = new Set([...file.code.matchAll(declared)].map(([, name]) => name));
      file.code = file.code
        .replace(GETTER, (getter, exported, name) =>
          fixed.has(name) ? `exports.${exported} = ${name};` : getter,
        )
        // An escape in such a text would be six characters, so that its other characters become values.
        .replace(/String\.raw`[^`]*`/g, (text) =>
          text.replace(BEYOND_ASCII, (word) => `\${${JSON.stringify(word)}}`),
        )
        .replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
    }
  },
};
