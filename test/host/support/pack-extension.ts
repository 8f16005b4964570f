import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { rootDir } from "../../../scripts/host/paths.mjs";

/** Packs the build into the file, with pictures from the address if there is one. */
export function packExtension(vsix: string, pictures: readonly string[] = []): void {
  const script = join(rootDir, "scripts", "package.mjs");
  execFileSync(process.execPath, [script, vsix, ...pictures], { stdio: "pipe" });
}
