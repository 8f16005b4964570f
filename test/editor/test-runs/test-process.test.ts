import { describe, expect, it } from "vitest";
import { killAllTests, startTest, type TestProcess } from "../../../src/editor/test-runs/test-process.ts";
import { isRunning } from "../../support/is-running.ts";

interface Watched {
  readonly test: TestProcess;
  readonly output: () => string;
  /** Resolves once the output has this text. */
  readonly says: (text: string) => Promise<void>;
}

/** A test that is this script. */
function aTest(script: string): Watched {
  let output = "";
  const waiting = new Set<() => void>();
  const test = startTest({
    command: { command: process.execPath, args: ["-e", script], cwd: process.cwd() },
    environment: { PATH: process.env["PATH"] ?? "" },
    write(text) {
      output += text;
      for (const look of waiting) look();
    },
  });
  const says = (text: string): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!output.includes(text)) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
  return { test, output: () => output, says };
}

/** Starts a grandchild that ignores Ctrl+C, and prints its id. */
const WITH_A_WORKER = `
const worker = require("node:child_process").spawn(process.execPath, ["-e",
  "process.on('SIGINT', () => {}); process.send('up'); setInterval(() => {}, 1000)"], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
worker.once("message", () => console.log("worker " + worker.pid + " is up"));
`;

async function workerOf({ says, output }: Watched): Promise<number> {
  await says("is up");
  return Number(/worker (\d+)/u.exec(output())?.[1]);
}

describe("the process of a test", () => {
  it("ends with its exit code, and its output is whole", async () => {
    const { test, output } = aTest("console.log('out'); console.error('err'); process.exitCode = 3");

    expect(await test.ended).toEqual({ how: "exited", code: 3 });
    expect(output().split("\n").sort()).toEqual(["", "err", "out"]);
  });

  it("puts characters together that arrive in pieces", async () => {
    const { test, output } = aTest(`
      const bytes = Buffer.from("grün 😀");
      const next = (at) => at < bytes.length && process.stdout.write(bytes.subarray(at, at + 1), () => setTimeout(next, 2, at + 1));
      next(0);`);
    await test.ended;

    expect(output()).toBe("grün 😀");
  });

  it("loses nothing of a long output", async () => {
    const { test, output } = aTest(
      `for (let at = 0; at < 200; at++) process.stdout.write("x".repeat(49_999) + "\\n")`,
    );
    await test.ended;

    expect(output().length).toBe(10_000_000);
  });

  it("that reads standard input finds it closed, and ends", async () => {
    const { test, output } = aTest(`process.stdin.resume().on("end", () => console.log("bye"));`);

    expect(await test.ended).toEqual({ how: "exited", code: 0 });
    expect(output()).toContain("bye");
  });

  it("that cannot be started reports why", async () => {
    const test = startTest({
      command: { command: "no-such-program-here", args: [], cwd: process.cwd() },
      environment: {},
      write: () => {},
    });

    expect(await test.ended).toEqual({
      how: "failed",
      reason: 'the program "no-such-program-here" was not found',
    });
  });

  it.skipIf(process.platform === "win32")(
    "receives SIGINT when it is stopped, and can still write output (POSIX)",
    async () => {
      const { test, says, output } = aTest(`
      process.on("SIGINT", () => { console.log("1 skipped"); process.exit(130); });
      setInterval(() => {}, 1000); console.log("running");`);
      await says("running");

      test.stop();

      expect(await test.ended).toEqual({ how: "stopped" });
      expect(output()).toContain("1 skipped");
    },
  );

  it("ends after a stop together with its workers, even if they ignore the signal", async () => {
    const watched = aTest(`${WITH_A_WORKER} process.on("SIGINT", () => process.exit(130));`);
    const worker = await workerOf(watched);

    watched.test.stop();
    await watched.test.ended;

    await expect.poll(() => isRunning(worker)).toBe(false);
  });

  it("that ignores the first stop is ended by a second one", async () => {
    const { test, says } = aTest(
      `process.on("SIGINT", () => console.log("no")); setInterval(() => {}, 1000); console.log("running");`,
    );
    await says("running");
    test.stop();
    if (process.platform !== "win32") await says("no");

    test.stop();

    expect(await test.ended).toEqual({ how: "stopped" });
  });

  it("that leaves a worker behind ends, and so does the worker", async () => {
    const watched = aTest(`${WITH_A_WORKER} worker.once("message", () => process.exit(0));`);

    const end = await watched.test.ended;

    expect(end).toEqual({ how: "exited", code: 0 });
    const worker = Number(/worker (\d+)/u.exec(watched.output())?.[1]);
    await expect.poll(() => isRunning(worker)).toBe(false);
  });

  it("does not outlive the editor, and neither do its workers", async () => {
    const watched = aTest(
      `${WITH_A_WORKER} process.on("SIGINT", () => {}); process.on("SIGTERM", () => {});`,
    );
    const worker = await workerOf(watched);

    killAllTests();
    await watched.test.ended;

    await expect.poll(() => isRunning(worker)).toBe(false);
  });
});
