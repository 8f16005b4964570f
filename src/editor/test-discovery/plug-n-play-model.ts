import { dirname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { fieldsOf, isText, jsonIn, listOf } from "../../core/protocol/reading/lenient.ts";
import { firstIn, foldersAbove, type ProjectFiles } from "./test-runner-model.ts";

/** Yarn's Plug'n'Play: no `node_modules`, but a file that teaches Node where each package lies, often in an archive. */
interface PlugAndPlay {
  /** What Node has to load before anything else. */
  readonly flags: readonly string[];
  /** Where a package lies that the file's own package depends on, and its version where the reference tells it. */
  locate(name: string): { readonly folder: string; readonly version?: string } | undefined;
}

const LOADER = ".pnp.loader.mjs";

/** The nearest installation of that kind at or above a file. */
export async function plugAndPlay(files: ProjectFiles, file: string): Promise<PlugAndPlay | undefined> {
  for (const home of foldersAbove(file)) {
    const text = await files.readFile(join(home, ".pnp.cjs"));
    if (text === undefined) continue;
    const registry = registryFrom(
      (await files.readFile(join(home, ".pnp.data.json"))) ?? stateInScript(text),
    );
    const hasLoader = (await firstIn(files, home, [LOADER])) !== undefined;
    const loader = ["--experimental-loader", pathToFileURL(join(home, LOADER)).href];
    return {
      flags: ["--require", join(home, ".pnp.cjs"), ...(hasLoader ? loader : [])],
      locate: (name) => locate(registry, { home, file, name }),
    };
  }
  return undefined;
}

/** The state stands in the script as a string in single quotes, over many lines. */
function stateInScript(script: string): string {
  const literal = /RAW_RUNTIME_STATE\s*=\s*'((?:[^'\\]|\\[\s\S])*)'/.exec(script)?.[1] ?? "";
  return literal.replace(/\\([\s\S])/g, (_, sign: string) => (sign === "\n" ? "" : sign));
}

/** One package at one version. */
interface Installed {
  readonly name: unknown;
  readonly reference: unknown;
  /** Relative to the folder of the `.pnp.cjs`, with a slash at its end. */
  readonly location: string;
  readonly dependencies: readonly unknown[];
}

/** None of a text of another version, or a torn one. */
function registryFrom(text: string): readonly Installed[] {
  return pairsOf(fieldsOf(jsonIn(text))["packageRegistryData"]).flatMap(([name, references]) =>
    pairsOf(references).flatMap(([reference, found]) => {
      const { packageLocation: location, packageDependencies: dependencies } = fieldsOf(found);
      return isText(location) ? { name, reference, location, dependencies: listOf(dependencies) } : [];
    }),
  );
}

function pairsOf(value: unknown): readonly (readonly [unknown, unknown])[] {
  return listOf(value).flatMap((pair) => (Array.isArray(pair) ? [[pair[0], pair[1]] as const] : []));
}

interface Wanted {
  readonly home: string;
  readonly file: string;
  readonly name: string;
}

/** As the file's own package would find it; what that one does not name, the root's may. */
function locate(registry: readonly Installed[], wanted: Wanted): ReturnType<PlugAndPlay["locate"]> {
  const { home, file, name } = wanted;
  const within = relative(home, dirname(file)).replaceAll("\\", "/");
  const folder = within === "" ? "./" : `./${within}/`;
  const owners = registry
    .filter(({ location }) => folder.startsWith(location))
    .sort((a, b) => b.location.length - a.location.length);
  for (const owner of owners) {
    const own = pairsOf(owner.dependencies).find(([dependency]) => dependency === name)?.[1];
    // A dependency under another name says both.
    const [as, reference] = pairsOf([own])[0] ?? [name, own];
    const found = registry.find((one) => one.name === as && one.reference === reference);
    if (found === undefined || typeof reference !== "string") continue;
    const version = /npm:(\d[^#:]*)$/.exec(reference)?.[1];
    return { folder: join(home, found.location), ...(version !== undefined && { version }) };
  }
  return undefined;
}
