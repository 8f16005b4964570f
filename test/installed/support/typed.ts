import { spawn } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inject, onTestFinished } from "vitest";

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a line as a person types it: by a shell, in a folder. */
export function typed(line: string, { cwd = inject("project"), env = {} } = {}): Promise<Ended> {
  const child = spawn(line, {
    cwd,
    shell: true,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill());
  const ended = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].on("data", (chunk: Buffer) => (ended[name] += chunk.toString()));
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, ...ended })));
}

/**
 * Creates a folder with these files and without a manifest, below the project that has the package, where Node and npx
 * find it.
 */
export function aFolderBelow(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(inject("project"), "below-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}
