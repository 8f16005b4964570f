import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { isFields, jsonIn } from "../../core/protocol/base/lenient.ts";
import { packageFrom, type ProjectPackage } from "./project-package-model.ts";
import { firstIn, foldersAbove, type ProjectFiles } from "./test-runner-model.ts";

/** Yarn's Plug'n'Play: no `node_modules`, but a script that tells Node where each package is, often in an archive. */
export interface PlugAndPlay {
  /** What Node has to load before anything else. */
  readonly flags: readonly string[];
  /** A package as the file's own package would load it. */
  locate(name: string): Promise<(ProjectPackage & { readonly folder: string }) | undefined>;
}

/** Prints what a program says, e.g. its version; undefined if it cannot be started or fails. */
export type AskProgram = (program: string, args: readonly string[]) => Promise<string | undefined>;

const LOADER = ".pnp.loader.mjs";

/** Asks the interface that Yarn documents; files in archives can be read once its script is loaded. */
const LOCATE = `
const [, name, file] = process.argv;
const folder = require("node:module").findPnpApi(file).resolveToUnqualified(name, file);
console.log(folder + "\\n" + require("node:fs").readFileSync(require("node:path").join(folder, "package.json"), "utf8"));
`;

/** The nearest installation of that kind at or above a file. */
export async function plugAndPlay(
  files: ProjectFiles,
  file: string,
  ask: AskProgram | undefined,
): Promise<PlugAndPlay | undefined> {
  for (const home of foldersAbove(file)) {
    const script = join(home, ".pnp.cjs");
    if (!(await files.exists(script))) continue;
    const hasLoader = (await firstIn(files, home, [LOADER])) !== undefined;
    const loader = ["--experimental-loader", pathToFileURL(join(home, LOADER)).href];
    return {
      flags: ["--require", script, ...(hasLoader ? loader : [])],
      async locate(name) {
        const answer = await ask?.("node", ["--require", script, "-e", LOCATE, name, file]);
        const [, folder = "", manifest = ""] = /^(.*)\n([\s\S]*)$/.exec(answer ?? "") ?? [];
        const parsed = jsonIn(manifest);
        return isFields(parsed) ? { ...packageFrom(parsed), folder } : undefined;
      },
    };
  }
  return undefined;
}
