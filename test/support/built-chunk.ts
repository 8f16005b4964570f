import { relative } from "node:path";
import type { OutputChunk } from "rolldown";
import { rootDir } from "../../scripts/host/paths.mjs";

/** A file that ships. */
export interface BuiltFile {
  readonly bytes: number;
  /** The sources in it, as paths from the project's folder. */
  readonly sources: readonly string[];
  /** Files and packages that are loaded with it. */
  readonly atOnce: readonly string[];
  /** Files and packages that are loaded on demand. */
  readonly later: readonly string[];
}

/** A file that ships, with its path. */
export type BuiltEntry = readonly [path: string, file: BuiltFile];

/** `dir` is the folder of the chunk in the package. */
export function describeChunk(
  { fileName, code, moduleIds, imports, dynamicImports }: OutputChunk,
  dir: string,
): BuiltEntry {
  const inDist = (path: string): string => (/\.c?js$/.test(path) ? `${dir}/${path}` : path);
  // `imports` lacks what a bundled CommonJS package requires.
  const required = [...code.matchAll(/\b(?:__)?require\d*\([`"]([\w:@/-]+)[`"]\)/g)].map(
    ([, name = ""]) => name,
  );
  return [
    `${dir}/${fileName}`,
    {
      bytes: Buffer.byteLength(code),
      sources: moduleIds.map((id) => relative(rootDir, id)),
      atOnce: [...imports.map(inDist), ...required],
      later: dynamicImports.map(inDist),
    },
  ];
}
