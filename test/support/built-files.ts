import { relative } from "node:path";
import { rolldown, type OutputChunk } from "rolldown";
import { commandLine, extension, library, program, type Bundle } from "../../scripts/bundles.mjs";
import { rootDir } from "../../scripts/host/paths.mjs";

/** A file that ships. */
interface BuiltFile {
  readonly bytes: number;
  /** The sources in it, as paths from the project's folder. */
  readonly sources: readonly string[];
  /** Files and packages that are loaded with it. */
  readonly atOnce: readonly string[];
  /** Files and packages that are loaded on demand. */
  readonly later: readonly string[];
}

/** Returns everything that the bundlers make, by its path; nothing is written. */
export async function builtFiles(): Promise<ReadonlyMap<string, BuiltFile>> {
  const programs = [program, commandLine, extension({ watch: false }), library];
  const files = await Promise.all(programs.map(programFiles));
  return new Map(files.flat());
}

type Entry = readonly [string, BuiltFile];

async function programFiles({ input, outputs }: Bundle): Promise<readonly Entry[]> {
  const bundle = await rolldown(input);
  const files: Entry[] = [];
  for (const output of outputs) {
    const { output: chunks } = await bundle.generate(output);
    for (const chunk of chunks) if (chunk.type === "chunk") files.push(describeChunk(chunk, output.dir));
  }
  await bundle.close();
  return files;
}

function describeChunk(
  { fileName, code, moduleIds, imports, dynamicImports }: OutputChunk,
  dir: string,
): Entry {
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

/** Returns the path of a file and of all files and packages that are loaded at once with it. */
export function loadedWith(files: ReadonlyMap<string, BuiltFile>, path: string): readonly string[] {
  const loaded = new Set([path]);
  for (const one of loaded) for (const next of files.get(one)?.atOnce ?? []) loaded.add(next);
  return [...loaded];
}
