import { readFileSync } from "node:fs";
import process from "node:process";
import type { Socket } from "node:net";

/**
 * Whether the other end of a connection on this machine is a process of the same user. Only Linux says so (proc(5),
 * net/tcp); elsewhere, and where it cannot be told, it is not.
 */
export function isOfSameUser({ remotePort, localPort }: Socket): boolean {
  if (process.platform !== "linux" || remotePort === undefined || localPort === undefined) return false;
  const isTheirs = ([, local = "", remote = "", , , , , uid]: readonly string[]): boolean =>
    HERE.test(local) &&
    HERE.test(remote) &&
    local.endsWith(`:${hex(remotePort)}`) &&
    remote.endsWith(`:${hex(localPort)}`) &&
    uid === String(process.getuid?.());
  return TABLES.flatMap((table) => readTable(table).split("\n")).some((line) =>
    isTheirs(line.trim().split(/\s+/)),
  );
}

/** Java's sockets are of the newer kind, whatever they are connected to. */
const TABLES = ["/proc/net/tcp", "/proc/net/tcp6"];

/** 127.0.0.1, as it is, or within the newer kind of address. */
const HERE = /^(?:0000000000000000FFFF0000)?0100007F:/;

function readTable(table: string): string {
  try {
    return readFileSync(table, "utf8");
  } catch {
    return "";
  }
}

function hex(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, "0");
}
