import process from "node:process";
import { writeVisibleJson } from "../core/base/visible.ts";
import type { Terminal } from "./terminal.ts";

/**
 * Lets the process that started this one join the run: prints the variables that it needs as one JSON line, and resolves
 * to the exit code that it writes to our standard input. If the process ends without one, the code is 1.
 */
export async function joinParent(
  env: NodeJS.ProcessEnv,
  terminal: Pick<Terminal, "env" | "out">,
): Promise<number> {
  const names = new Set([...Object.keys(env), ...Object.keys(terminal.env)]);
  const changed = [...names].filter((name) => env[name] !== terminal.env[name]);
  const ready = {
    event: "ready",
    env: Object.fromEntries(changed.map((name) => [name, env[name] ?? null])),
  };
  terminal.out(`${writeVisibleJson(ready)}\n`);
  const { createInterface } = await import("node:readline");
  for await (const line of createInterface({ input: process.stdin })) {
    if (/^\d{1,3}$/.test(line)) return Number(line);
  }
  return 1;
}
