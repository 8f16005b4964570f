import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, createServer, type AddressInfo } from "node:net";
import process from "node:process";
import { expect, onTestFinished, test } from "vitest";
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

    const endWatch = watchOutside(process.pid, { isLookedAt, isOutside });

    expect(await endWatch(["127.0.0.8", "127.0.0.9", "*.example.com"])).toContainEqual(own);
  },
);

test.runIf(process.platform === "linux")("so is one that connects later (needs Linux)", async () => {
  let isSeen = (): void => {};
  const seen = new Promise<void>((done) => (isSeen = done));
  const looking = (address: string): boolean => {
    if (isOutside(address)) isSeen();
    return isOutside(address);
  };
  const endWatch = watchOutside(process.pid, { isLookedAt, isOutside: looking });
  await aConnection("127.0.0.9");
  await seen;

  expect(await endWatch(["127.0.0.9"])).toContainEqual(own);
});

test.runIf(process.platform === "linux")("so is one that ends meanwhile (needs Linux)", async () => {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "127.0.0.9", done));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const child = spawn("bash", ["-c", `exec 3<>/dev/tcp/127.0.0.9/${port}; read -u 3`]);
  await once(server, "connection");
  const ending = (address: string): boolean => {
    if (!isOutside(address)) return false;
    child.kill("SIGKILL");
    while (!readFileSync(`/proc/${child.pid}/stat`, "utf8").includes(") Z ")); // until the event loop goes on
    return true;
  };

  const endWatch = watchOutside(child.pid!, { isLookedAt, isOutside: ending });

  expect(await endWatch(["127.0.0.9"])).toContainEqual({ ...own, pid: child.pid, command: "bash" });
});

/** Reports that a process has hooks from its second check on. */
const reportsLate = () => {
  const checked = new Set<number>();
  return (pid: number): boolean => {
    const isReported = checked.has(pid);
    checked.add(pid);
    return isReported;
  };
};

test.runIf(process.platform === "linux").each([
  [
    "has hooks, which answer for it",
    { isLookedAt: (): boolean => true, isOutside },
    "127.0.0.9",
    process.pid,
  ],
  [
    "reports its hooks after its connection was found",
    { isLookedAt: reportsLate(), isOutside },
    "127.0.0.9",
    process.pid,
  ],
  ["goes to no known host", { isLookedAt, isOutside }, "127.0.0.8", process.pid],
  ["stays on this machine", { isLookedAt }, "127.0.0.9", process.pid],
  ["was not started by the command", { isLookedAt, isOutside }, "127.0.0.9", -1],
])("a program that %s is not named (needs Linux)", async (_, options, host, root) => {
  await aConnection("127.0.0.9");

  const endWatch = watchOutside(root, options);

  expect(await endWatch([host])).toEqual([]);
});
