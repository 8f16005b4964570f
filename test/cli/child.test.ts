import { EventEmitter } from "node:events";
import process from "node:process";
import { expect, test } from "vitest";
import { runChild } from "../../src/cli/child.ts";
import { createWriters, type Terminal } from "../../src/cli/terminal.ts";

test.skipIf(process.platform === "win32")(
  "a signal that arrives right after the start of a command reaches it (POSIX)",
  async () => {
    const signals = new EventEmitter();
    const terminal: Terminal = {
      ...createWriters(
        () => {},
        () => {},
      ),
      color: { out: false, err: false },
      env: process.env,
      cwd: process.cwd(),
      program: "",
      signals,
      hasKeyboard: false,
      streams: ["ignore", 1, 2],
      now: () => 0,
    };
    const command = [process.execPath, "-e", "setTimeout(() => {}, 5_000)"];
    const onStart = (): void => void signals.emit("SIGTERM", "SIGTERM");

    expect(await runChild(command, { env: process.env, output: "out", terminal, onStart })).toBe(143);
  },
);
