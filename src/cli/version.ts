import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The version in the package's manifest, which lies one folder above the bundle and two above the sources. */
export function version(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (let climbed = 0; climbed < 3; climbed += 1) {
    const manifest = readManifest(join(folder, "package.json"));
    if (manifest?.name === "llm-tapedeck") return manifest.version ?? "unknown";
    folder = dirname(folder);
  }
  return "unknown";
}

function readManifest(path: string): { readonly name?: string; readonly version?: string } | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as { name?: string; version?: string };
  } catch {
    return undefined;
  }
}
