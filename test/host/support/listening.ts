import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** Whether the system lists processes and the sockets of each. */
export const TELLS_SOCKETS = process.platform === "linux";

/** The TCP ports that extension hosts listen on, of the VS Code server whose folder is given; lowest first. */
export function portsOfExtensionHosts(home: string): number[] {
  const open = new Set(extensionHosts(home).flatMap(socketsOf));
  return sockets()
    .filter(({ state, inode }) => state === LISTENS && open.has(`socket:[${inode}]`))
    .map(({ port }) => port)
    .sort((a, b) => a - b);
}

/** How many clients are connected to a port, answered or not. */
export function connectionsTo(port: number): number {
  return sockets().filter((one) => one.state === CONNECTED && one.port === port).length;
}

/** The processes of the extension hosts of a VS Code server. */
export function extensionHosts(home: string): number[] {
  const found = readdirSync("/proc").filter((name) => {
    if (!/^\d+$/u.test(name)) return false;
    const read = (file: string) => orNothing(() => readFileSync(`/proc/${name}/${file}`, "utf8")) ?? "";
    return read("cmdline").includes("--type=extensionHost") && read("environ").includes(`${home}/`);
  });
  return found.map(Number);
}

/** How Linux writes TCP_LISTEN and TCP_ESTABLISHED (include/net/tcp_states.h). */
const LISTENS = "0A";
const CONNECTED = "01";

interface Socket {
  /** The local one. */
  readonly port: number;
  readonly state: string;
  readonly inode: string;
}

function sockets(): readonly Socket[] {
  const [, ...lines] = readFileSync("/proc/net/tcp", "utf8").trim().split("\n");
  return lines.map((line) => {
    const [, local = "", , state = "", , , , , , inode = ""] = line.trim().split(/\s+/u);
    return { port: Number.parseInt(local.split(":")[1] ?? "", 16), state, inode };
  });
}

function socketsOf(process: number): string[] {
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
