import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { build } from "esbuild";
import { asProgram } from "../../scripts/bundling.mjs";
import { missingProtection } from "../../scripts/checks/without-protection.mjs";

/** A call that a recorder reported as saved. */
export interface Acknowledged {
  readonly entry: string;
  /** Of the reply's body. */
  readonly sha256: string;
}

let bundled: Promise<string> | undefined;

/**
 * Bundles the recorder once, since Node 20 runs no TypeScript; without a protection where TAPEDECK_WITHOUT names one.
 * Resolves to the script's path. To be called in the project's folder.
 */
export async function buildRecorder(folder: string): Promise<string> {
  const outfile = join(folder, "recorder.mjs");
  writeFileSync(outfile, await (bundled ??= bundleRecorder()));
  return outfile;
}

async function bundleRecorder(): Promise<string> {
  const { outputFiles } = await build({
    ...asProgram,
    entryPoints: ["test/support/recorder-process.ts"],
    plugins: missingProtection(),
    write: false,
  });
  return outputFiles[0]?.text ?? "";
}

/** Lets a recorder record `count` calls; `onAcknowledged` may kill it. Resolves to what it acknowledged until its end. */
export async function runRecorder(
  script: string,
  args: { readonly dir: string; readonly name: string; readonly count: number },
  onAcknowledged: (soFar: number, kill: () => void) => void = () => {},
): Promise<readonly Acknowledged[]> {
  const child = spawn(process.execPath, [script, args.dir, args.name, String(args.count)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const acknowledged: Acknowledged[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged.push(JSON.parse(line) as Acknowledged);
    onAcknowledged(acknowledged.length, () => child.kill("SIGKILL"));
  }
  await closed;
  return acknowledged;
}
