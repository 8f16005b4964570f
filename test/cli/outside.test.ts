import { spawn } from "node:child_process";
import { connect, createServer, type AddressInfo } from "node:net";
import process from "node:process";
import { expect, onTestFinished, test, vi } from "vitest";
import { watchOutside } from "../../src/cli/outside.ts";

/** Connects this process to a local server that represents one outside. */
async function aConnection(host: string): Promise<void> {
  const server = createServer(() => {});
  await new Promise<void>((done) => server.listen(0, host, done));
  const socket = connect((server.address() as AddressInfo).port, host);
  await new Promise<void>((done) => socket.once("connect", () => done()));
  onTestFinished(() => {
    socket.destroy();
    server.close();
  });
}

const isOutside = (address: string): boolean => address === "127.0.0.9";
const isLookedAt = (): boolean => false;
const own = { pid: process.pid, command: "node", host: "127.0.0.9" };

test.runIf(process.platform === "linux")(
  "a program without hooks that connects to a provider is named, with its host (needs Linux)",
  async () => {
    await aConnection("127.0.0.9");

    const watch = watchOutside(process.pid, { isLookedAt, isOutside });

    expect(await watch.end(["127.0.0.8", "127.0.0.9", "*.example.com"])).toContainEqual(own);
  },
);

test.runIf(process.platform === "linux")("so is one that connects later (needs Linux)", async () => {
  let isSeen = (): void => {};
  const seen = new Promise<void>((done) => (isSeen = done));
  const looking = (address: string): boolean => {
    if (isOutside(address)) isSeen();
    return isOutside(address);
  };
  const watch = watchOutside(process.pid, { isLookedAt, isOutside: looking });
  await aConnection("127.0.0.9");
  await seen;

  expect(await watch.end(["127.0.0.9"])).toContainEqual(own);
});

test.runIf(process.platform === "linux").each([
  [
    "has hooks, which answer for it",
    { isLookedAt: (): boolean => true, isOutside },
    "127.0.0.9",
    process.pid,
  ],
  ["goes to no known host", { isLookedAt, isOutside }, "127.0.0.8", process.pid],
  ["stays on this machine", { isLookedAt }, "127.0.0.9", process.pid],
  ["was not started by the command", { isLookedAt, isOutside }, "127.0.0.9", -1],
])("a program that %s is not named (needs Linux)", async (_, options, host, root) => {
  await aConnection("127.0.0.9");

  const watch = watchOutside(root, options);

  expect(await watch.end([host])).toEqual([]);
});

test.runIf(process.platform === "linux")(
  "a run looks at most ten times a second, and stops at its end (needs Linux)",
  async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    let looks = 0;
    const onLook = (): void => void (looks += 1);
    const watch = watchOutside(process.pid, { isLookedAt: () => true, onLook });

    await vi.advanceTimersByTimeAsync(10_000);
    const during = looks;
    await watch.end([]);
    await vi.advanceTimersByTimeAsync(10_000);

    expect(during).toBeGreaterThan(50);
    expect(during).toBeLessThanOrEqual(101);
    expect(looks).toBe(during);
  },
);

test.runIf(process.platform === "linux")(
  "a program whose hooks report it soon after its start is not examined (needs Linux)",
  async () => {
    const child = spawn(process.execPath, ["-e", "process.stdin.resume()"], {
      stdio: ["pipe", "ignore", "ignore"],
    });
    onTestFinished(() => void child.kill());
    const examined: number[] = [];
    let looks = 0;
    let isReported = false;
    const seen = new Promise<void>((done) => {
      const watch = watchOutside(process.pid, {
        isLookedAt(pid) {
          if (pid === child.pid && !isReported) examined.push(looks);
          return pid !== child.pid || isReported;
        },
        onLook() {
          looks += 1;
          isReported = looks > 1;
          if (looks > 3) done();
        },
      });
      onTestFinished(async () => void (await watch.end([])));
    });
    await seen;

    expect(examined).toEqual([]);
  },
);
