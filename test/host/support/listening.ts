import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** Whether the system tells which process has which socket. */
export const TELLS_SOCKETS = process.platform === "linux";

/** The TCP ports that extension hosts listen on, of the VS Code server whose folder is given. */
export function portsOfExtensionHosts(home: string): number[] {
  const open = new Set(extensionHosts(home).flatMap(socketsOf));
  return readFileSync("/proc/net/tcp", "utf8")
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => line.trim().split(/\s+/u))
    .filter(([, , , state, , , , , , inode]) => state === LISTENS && open.has(`socket:[${inode}]`))
    .map(([, local = ""]) => Number.parseInt(local.split(":")[1] ?? "", 16));
}

/** How Linux writes TCP_LISTEN (include/net/tcp_states.h). */
const LISTENS = "0A";

function extensionHosts(home: string): string[] {
  return readdirSync("/proc").filter((name) => {
    if (!/^\d+$/u.test(name)) return false;
    const read = (file: string) => orNothing(() => readFileSync(`/proc/${name}/${file}`, "utf8")) ?? "";
    return read("cmdline").includes("--type=extensionHost") && read("environ").includes(`${home}/`);
  });
}

function socketsOf(process: string): string[] {
  const folder = `/proc/${process}/fd`;
  const names = orNothing(() => readdirSync(folder)) ?? [];
  return names.flatMap((name) => orNothing(() => readlinkSync(`${folder}/${name}`)) ?? []);
}

/** Processes end and sockets close while they are looked at. */
function orNothing<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
