import { relative } from "node:path";
import { build, type Metafile } from "esbuild";
import { rolldown } from "rolldown";
import { bundles, editorBundle } from "../../scripts/bundles.mjs";
import { sourcesIn } from "../../scripts/bundling.mjs";
import { rootDir } from "../../scripts/host/paths.mjs";

/** A file that ships. */
interface BuiltFile {
  readonly bytes: number;
  /** What stands in it, as paths from the project's folder. */
  readonly sources: readonly string[];
  /** Files and packages that are loaded with it. */
  readonly atOnce: readonly string[];
  /** Files and packages that are loaded when somebody asks for what is in them. */
  readonly later: readonly string[];
}

/** Everything that the bundlers make, by its path; nothing is written. */
export async function builtFiles(): Promise<ReadonlyMap<string, BuiltFile>> {
  const [editor, ...others] = await Promise.all([
    editorFiles(),
    ...bundles.map((options) => build({ ...options, write: false, metafile: true })),
  ]);
  return new Map([...editor, ...others.flatMap(({ metafile }) => filesIn(metafile))]);
}

function filesIn({ outputs }: Metafile): readonly (readonly [string, BuiltFile])[] {
  return Object.entries(outputs).map(([path, output]) => {
    const { bytes, imports } = output;
    const named = (isAtOnce: boolean): readonly string[] =>
      imports.filter(({ kind }) => (kind === "dynamic-import") !== isAtOnce).map(({ path: asked }) => asked);
    return [path, { bytes, sources: sourcesIn(output), atOnce: named(true), later: named(false) }];
  });
}

async function editorFiles(): Promise<readonly (readonly [string, BuiltFile])[]> {
  const { input, output } = editorBundle({ watch: false });
  const bundle = await rolldown(input);
  const { output: files } = await bundle.generate(output);
  await bundle.close();
  const inDist = (path: string): string => (path.endsWith(".cjs") ? `dist/${path}` : path);
  return files.flatMap((file) => {
    if (file.type !== "chunk") return [];
    const { code, moduleIds, imports, dynamicImports } = file;
    const sources = moduleIds.map((id) => relative(rootDir, id));
    // What a CommonJS package requires is in the code alone.
    const required = [...code.matchAll(/require\([`"]([\w:@/-]+)[`"]\)/g)].map(([, name = ""]) => name);
    const [atOnce, later] = [[...imports.map(inDist), ...required], dynamicImports.map(inDist)];
    return [[`dist/${file.fileName}`, { bytes: Buffer.byteLength(code), sources, atOnce, later }] as const];
  });
}

/** What is loaded at once with a file, itself first. */
export function loadedWith(files: ReadonlyMap<string, BuiltFile>, path: string): readonly string[] {
  const loaded = new Set([path]);
  for (const one of loaded) for (const next of files.get(one)?.atOnce ?? []) loaded.add(next);
  return [...loaded];
}
