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
    try {
      const isHost = readFileSync(`/proc/${name}/cmdline`, "utf8").includes("--type=extensionHost");
      return isHost && readFileSync(`/proc/${name}/environ`, "utf8").includes(`${home}/`);
    } catch {
      return false; // it has ended
    }
  });
}

function socketsOf(process: string): string[] {
  const folder = `/proc/${process}/fd`;
  return readdirSync(folder).flatMap((name) => {
    try {
      return [readlinkSync(`${folder}/${name}`)];
    } catch {
      return []; // it was closed
    }
  });
}
