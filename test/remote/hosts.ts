import { execFileSync, spawn } from "node:child_process";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { userInfo } from "node:os";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { json } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import type { MachineArgs, MachineTold } from "./machine-process.ts";

/** Hosts of a network of their own, as namespaces of this machine's network. */
export interface Host {
  readonly name: string;
  /** This machine as the host sees it. */
  readonly gateway: string;
}

/** Why no hosts can be made here; undefined where they can. */
export const whyNoHosts = (() => {
  if (userInfo().uid !== 0) return "takes root";
  try {
    execFileSync("ip", ["netns", "list"], { stdio: "ignore" });
    return undefined;
  } catch {
    return "takes ip netns: apt-get install iproute2";
  }
})();

/** Each has one line, to this machine. */
export function makeHosts(count: number): readonly Host[] {
  return Array.from({ length: count }, (_, index) => {
    const name = `tapes-${process.pid}-${index}`;
    const [inside, outside] = [`tp${process.pid % 100_000}i${index}`, `tp${process.pid % 100_000}o${index}`];
    const net = `10.213.${index}`;
    ip("netns", "add", name);
    onTestFinished(() => ip("netns", "del", name));
    ip("link", "add", outside, "type", "veth", "peer", "name", inside, "netns", name);
    ip("addr", "add", `${net}.1/24`, "dev", outside);
    ip("link", "set", outside, "up");
    ip("-n", name, "addr", "add", `${net}.2/24`, "dev", inside);
    ip("-n", name, "link", "set", inside, "up");
    ip("-n", name, "link", "set", "lo", "up");
    return { name, gateway: `${net}.1` };
  });
}

function ip(...args: readonly string[]): void {
  execFileSync("ip", args);
}

/** A machine of the team on one of the hosts. */
export async function runMachine({ name }: Host, script: string, args: MachineArgs): Promise<MachineTold> {
  const child = spawn("ip", ["netns", "exec", name, process.execPath, script, JSON.stringify(args)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return JSON.parse(await text(child.stdout)) as MachineTold;
}

export interface PaidUpstream {
  readonly port: number;
  /** How often each call was paid, by what it asks. */
  readonly paid: ReadonlyMap<string, number>;
}

/** Answers each call in another way each time, after a moment. */
export async function aPaidUpstream(): Promise<PaidUpstream> {
  const paid = new Map<string, number>();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const asked = JSON.stringify(await json(request));
    const number = (paid.get(asked) ?? 0) + 1;
    paid.set(asked, number);
    const message = { role: "assistant", content: `Answer ${number}` };
    const choices = [{ index: 0, message, finish_reason: "stop" }];
    await setTimeout(20);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(
      JSON.stringify({ id: `chatcmpl-${number}`, object: "chat.completion", created: 1, choices }),
    );
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "0.0.0.0", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { port: (server.address() as AddressInfo).port, paid };
}
