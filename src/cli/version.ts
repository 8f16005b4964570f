import { readFileSync } from "node:fs";

/** Returns the version in the package's manifest, which is one folder above the bundle and two above the sources. */
export function readVersion(): string {
  for (const path of ["../package.json", "../../package.json"]) {
    const manifest = readManifest(new URL(path, import.meta.url));
    if (manifest?.name === "llm-tapedeck") return manifest.version ?? "unknown";
  }
  return "unknown";
}

function readManifest(path: URL): { readonly name?: string; readonly version?: string } | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as { name?: string; version?: string };
  } catch {
    return undefined;
  }
}
