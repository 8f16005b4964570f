import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { addTo } from "../core/base/group-by.ts";

/**
 * Finds connections of programs without hooks, from the lists of Linux: a descendant of the command may drop its
 * environment or be in a language without hooks. Host names are resolved after the command has ended, and only if there
 * were outgoing connections.
 */
export interface Outside {
  readonly pid: number;
  /** The program's name; its arguments may hold a key. */
  readonly command: string;
  readonly host: string;
}

interface WatchOptions {
  /** Whether a process has hooks, which report its connections themselves. */
  readonly isLookedAt: (pid: number) => boolean;
  /** Whether a connection to this address leaves the machine. */
  readonly isOutside?: (address: string) => boolean;
}

interface Connection extends Omit<Outside, "host"> {
  readonly address: string;
}

/** Milliseconds between checks. A model call takes longer. */
const LOOK_EVERY_MS = 250;
/** Checks of a socket, which may not be connected at the first one. */
const MOST_LOOKS = 2;
/** Maximum milliseconds to wait for name servers. */
const PATIENCE_MS = 2_000;

/**
 * Watches the connections of `root` and its descendants. Finds none on systems other than Linux. Returns a function that
 * stops watching and returns the connections to addresses of `hosts`, each process and host once.
 */
export function watchOutside(root: number, { isLookedAt, isOutside = leavesMachine }: WatchOptions) {
  const found = new Map<string, Connection>();
  const looks = new Map<string, number>();
  const lookNow = (): void => {
    const fresh = new Map<string, number[]>();
    for (const pid of listDescendants(root).filter((one) => !isLookedAt(one)))
      for (const inode of socketsOf(pid)) {
        const count = looks.get(inode) ?? 0;
        if (count >= MOST_LOOKS) continue;
        looks.set(inode, count + 1);
        addTo(fresh, inode, pid);
      }
    if (fresh.size === 0) return; // the kernel needs milliseconds to list its connections
    for (const [inode, address] of listConnections())
      for (const pid of isOutside(address) ? (fresh.get(inode) ?? []) : [])
        found.set(`${pid} ${address}`, { pid, command: commandOf(pid), address });
  };
  const look = (): void => orNothing(lookNow); // a system may hide its processes
  const isListed = process.platform === "linux";
  if (isListed) look();
  const timer = isListed ? setInterval(look, LOOK_EVERY_MS) : undefined;
  return async (hosts: readonly string[]): Promise<readonly Outside[]> => {
    clearInterval(timer);
    // A process may have reported its hooks after its connection was found.
    const unseen = [...found.values()].filter(({ pid }) => !isLookedAt(pid));
    return unseen.length === 0 ? [] : nameHosts(unseen, hosts);
  };
}

async function nameHosts(
  connections: readonly Connection[],
  hosts: readonly string[],
): Promise<readonly Outside[]> {
  const hostOf = await addressesOf(hosts);
  const all = connections.flatMap(({ pid, command, address }) => {
    const host = hostOf.get(address);
    return host === undefined ? [] : [{ pid, command, host }];
  });
  return [...new Map(all.map((one) => [`${one.pid} ${one.host}`, one])).values()];
}

/**
 * A row of a table: remote address and inode. Listening sockets have no remote port, and sockets that wait for their end
 * no inode. Source: proc(5), net/tcp.
 */
const ROW = /^ *\d+: \S+ (\S+):(?!0000)\S{4}(?: +\S+){6} +([1-9]\d*) /gm;

/** Returns the remote addresses of all TCP connections by socket inode. */
function listConnections(): readonly (readonly [inode: string, address: string])[] {
  const tables = ["tcp", "tcp6"].map((name) => readIfThere(`/proc/net/${name}`));
  return [...tables.join("").matchAll(ROW)].map(([, hex = "", inode = ""]) => [inode, addressIn(hex)]);
}

/** Parses an address in the kernel's format: words of four bytes, each with the last byte first. */
function addressIn(hex: string): string {
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap((word) =>
    (word.match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16)).reverse(),
  );
  const isMapped = bytes.length === 16 && bytes.slice(0, 12).join() === "0,0,0,0,0,0,0,0,0,0,255,255";
  if (bytes.length === 4 || isMapped) return bytes.slice(-4).join(".");
  const groups = bytes.flatMap((byte, at) => (at % 2 === 0 ? [byte * 256 + (bytes[at + 1] ?? 0)] : []));
  return canonical(groups.map((group) => group.toString(16)).join(":"));
}

function canonical(address: string): string {
  return address.includes(":") ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address;
}

const leavesMachine = (address: string): boolean => !/^(?:127\.|0\.|::1?$)/.test(address);

/** Returns `root` and its living descendants. */
function listDescendants(root: number): readonly number[] {
  const below = [root];
  for (const pid of below) below.push(...childrenOf(pid));
  return below;
}

/** Each thread has a list of its children. */
function childrenOf(pid: number): readonly number[] {
  const folder = `/proc/${pid}/task`;
  const threads = orNothing(() => readdirSync(folder)) ?? [];
  return threads.flatMap((thread) =>
    (readIfThere(join(folder, thread, "children")).match(/\d+/g) ?? []).map(Number),
  );
}

function socketsOf(pid: number): readonly string[] {
  const folder = `/proc/${pid}/fd`;
  const names = orNothing(() => readdirSync(folder)) ?? [];
  return names.flatMap(
    (name) => /^socket:\[(\d+)\]$/.exec(orNothing(() => readlinkSync(join(folder, name))) ?? "")?.[1] ?? [],
  );
}

function commandOf(pid: number): string {
  const [program = ""] = readIfThere(`/proc/${pid}/cmdline`).split("\0");
  // The command line of a process that is ending is empty.
  return basename(program) || readIfThere(`/proc/${pid}/comm`).trim();
}

const readIfThere = (file: string): string => orNothing(() => readFileSync(file, "utf8")) ?? "";

/** Returns undefined if reading fails, because a process may end after it was listed. */
function orNothing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/**
 * Resolves host names. Names with "*" have no address, and the addresses of googleapis.com serve all Google APIs, so
 * they do not identify a host.
 */
async function addressesOf(hosts: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const named = hosts.filter((host) => !host.includes("*") && !host.endsWith(".googleapis.com"));
  const { lookup } = await import("node:dns/promises");
  const found = new Map<string, string>();
  const lookups = named.map(async (name) => {
    const host = name.replace(/:\d+$/, "");
    const addresses = await lookup(host, { all: true }).catch(() => []);
    for (const address of addresses.map((one) => canonical(one.address)))
      if (!found.has(address)) found.set(address, host);
  });
  let patience: NodeJS.Timeout | undefined;
  const waited = new Promise<void>((done) => (patience = setTimeout(done, PATIENCE_MS)));
  await Promise.race([Promise.all(lookups), waited]);
  clearTimeout(patience);
  return found;
}
