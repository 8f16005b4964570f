import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

const home = resolve(import.meta.dirname, "..");
const project = resolve(home, "..", "..");

/** The runners that are in use today, and those before them. */
export type Generation = "current" | "previous";

/** The folder of a package as that generation's folder would find it: its own, else those above it. */
export function packageFolder(generation: Generation, name: string): string {
  const places = [join(home, generation), home, project].map((folder) => join(folder, "node_modules", name));
  const found = places.find((place) => existsSync(join(place, "package.json")));
  if (found === undefined) throw new Error(`${name} is not installed: node scripts/install-runners.mjs`);
  return found;
}

/** Another Node than the one that runs the tests, by its package's name; undefined where that has none for this machine. */
export function otherNode(
  name: "node-18" | "node-20.11" | "node-22" | "node-24" | "node-26",
): string | undefined {
  const program = join(home, "node_modules", name, "bin", "node");
  return existsSync(program) ? program : undefined;
}
