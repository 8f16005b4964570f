import { rolldown } from "rolldown";
import { extension, library, type Bundle } from "../../scripts/bundles.mjs";
import { programFiles } from "../cli/built-program.ts";
import { describeChunk, type BuiltEntry, type BuiltFile } from "./built-chunk.ts";

/** Returns everything that the bundlers make, by its path. The command line is built once for all tests. */
export async function builtFiles(): Promise<ReadonlyMap<string, BuiltFile>> {
  const others = await Promise.all([extension({ watch: false }), library].map(bundledFiles));
  return new Map([...programFiles(), ...others.flat()]);
}

async function bundledFiles({ input, outputs }: Bundle): Promise<readonly BuiltEntry[]> {
  const bundle = await rolldown(input);
  const files: BuiltEntry[] = [];
  for (const output of outputs) {
    const { output: chunks } = await bundle.generate(output);
    for (const chunk of chunks) if (chunk.type === "chunk") files.push(describeChunk(chunk, output.dir));
  }
  await bundle.close();
  return files;
}

/** Returns the path of a file and of all files and packages that are loaded at once with it. */
export function loadedWith(files: ReadonlyMap<string, BuiltFile>, path: string): readonly string[] {
  const loaded = new Set([path]);
  for (const one of loaded) for (const next of files.get(one)?.atOnce ?? []) loaded.add(next);
  return [...loaded];
}
