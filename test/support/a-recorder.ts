import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { build } from "esbuild";

/** What a recorder said is on disk. */
export interface Acknowledged {
  readonly entry: string;
  /** Of the reply's body. */
  readonly sha256: string;
}

/** Bundles the recorder, since Node 20 runs no TypeScript. Resolves to the script's path. */
export async function buildRecorder(folder: string): Promise<string> {
  const outfile = join(folder, "recorder.mjs");
  await build({
    entryPoints: [join(import.meta.dirname, "recorder-process.ts")],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    mainFields: ["module", "main"],
    logLevel: "warning",
  });
  return outfile;
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
