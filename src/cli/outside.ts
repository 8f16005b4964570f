import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import process from "node:process";

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

export interface OutsideWatch {
  /** Stops watching and returns the connections to addresses of `hosts`, each process and host once. */
  end(hosts: readonly string[]): Promise<readonly Outside[]>;
}

interface WatchOptions {
  /** Whether a process has hooks, which report its connections themselves. */
  readonly isLookedAt: (pid: number) => boolean;
  /** Called before each check. */
  readonly onLook?: () => void;
  /** Whether a connection to this address leaves the machine. */
  readonly isOutside?: (address: string) => boolean;
}

interface Connection extends Omit<Outside, "host"> {
  readonly address: string;
}

/** Milliseconds between checks. A model call with its TLS handshake takes several times as long. */
const LOOK_EVERY_MS = 100;
/** Maximum checks for a socket in no list: it is in another network namespace or of a kind that no list contains. */
const MOST_LOOKS = 50;
/** Maximum milliseconds to wait for name servers. */
const PATIENCE_MS = 2_000;

/** Watches the connections of `root` and its descendants. Finds none on systems other than Linux. */
export function watchOutside(
  root: number,
  { isLookedAt, onLook, isOutside = leavesMachine }: WatchOptions,
): OutsideWatch {
  const found = new Map<string, Connection>();
  const started = descendantsOf(root);
  /** Processes of the last check. A new process is examined at the next one: until then its hooks have reported it. */
  let known = new Set([root]);
  /** Number of checks by socket. An identified socket is not checked again. */
  const looks = new Map<string, number>();
  let looking: Promise<void> | undefined;
  const lookNow = async (): Promise<void> => {
    onLook?.();
    const pids = started();
    const examined = pids.filter((pid) => known.has(pid) && !isLookedAt(pid));
    known = new Set(pids);
    const held = examined
      .flatMap((pid) => socketsOf(pid).map((inode) => ({ pid, inode })))
      .filter(({ inode }) => (looks.get(inode) ?? 0) < MOST_LOOKS);
    // The kernel takes milliseconds to list all connections, and most checks find nothing new.
    if (held.length === 0) return;
    const pipes = await listPipes();
    for (const { inode } of held) if (pipes.has(inode)) looks.set(inode, MOST_LOOKS);
    const unsettled = held.filter(({ inode }) => !pipes.has(inode));
    if (unsettled.length === 0) return;
    const { connections, others } = await listSockets();
    for (const { pid, inode } of unsettled) {
      const address = connections.get(inode);
      const isSettled = address !== undefined || others.has(inode);
      looks.set(inode, isSettled ? MOST_LOOKS : (looks.get(inode) ?? 0) + 1);
      const key = `${pid} ${address}`;
      if (address === undefined || !isOutside(address) || found.has(key)) continue;
      found.set(key, { pid, command: commandOf(pid), address });
    }
  };
  const look = (): void => {
    looking ??= lookNow()
      .catch(() => {}) // a system that hides its processes
      .finally(() => (looking = undefined));
  };
  const isListed = process.platform === "linux";
  if (isListed) look();
  const timer = isListed ? setInterval(look, LOOK_EVERY_MS) : undefined;
  return {
    async end(hosts) {
      clearInterval(timer);
      await looking;
      // A process may have reported its hooks after its connection was found.
      const unseen = [...found.values()].filter(({ pid }) => !isLookedAt(pid));
      return unseen.length === 0 ? [] : nameHosts(unseen, hosts);
    },
  };
}

/** Returns the connections to addresses of `hosts`, each process and host once. */
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

interface ListedSockets {
  /** Remote addresses by socket inode. A socket that is not connected yet is left out. */
  readonly connections: ReadonlyMap<string, string>;
  /** Inodes of sockets that carry no calls: UDP, netlink, and listening sockets. */
  readonly others: ReadonlySet<string>;
}

/** Returns the inodes of Unix sockets. Most sockets are of this kind: Node makes pipes to its children of them. */
async function listPipes(): Promise<ReadonlySet<string>> {
  const rows = await rowsOf("unix");
  return new Set(rows.flatMap(([, , , , , , inode]) => inode ?? []));
}

async function listSockets(): Promise<ListedSockets> {
  const [tcp, rest] = await Promise.all([rowsOf("tcp", "tcp6"), rowsOf("udp", "udp6", "netlink")]);
  const connections = new Map<string, string>();
  const others = new Set(rest.flatMap((words) => words[9] ?? []));
  for (const [, , remote = "", state, , , , , , inode = "0"] of tcp) {
    const [address = "", port = "0000"] = remote.split(":");
    if (state === LISTENS) others.add(inode);
    else if (inode !== "0" && port !== "0000") connections.set(inode, addressIn(address));
  }
  return { connections, others };
}

/** TCP_LISTEN of include/net/tcp_states.h. */
const LISTENS = "0A";

/** Returns the rows of these kernel tables, split into columns. */
async function rowsOf(...names: readonly string[]): Promise<readonly (readonly string[])[]> {
  const tables = await Promise.all(
    names.map((name) => readFile(`/proc/net/${name}`, "latin1").catch(() => "")),
  );
  return tables.flatMap((table) => table.split("\n").slice(1)).map((line) => line.trim().split(/\s+/));
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

/**
 * Returns a function that lists `root` and its living descendants. Each process is examined once, while it still has its
 * parent. The system's processes are listed only if one was started since the last call, which /proc/loadavg shows.
 */
function descendantsOf(root: number): () => readonly number[] {
  let parents = new Map<number, number>();
  let below = new Set([root]);
  let newest: string | undefined;
  return () => {
    const before = newest;
    newest = newestProcess();
    if (newest === before && newest !== undefined) return [...below];
    const now = listProcesses();
    // A process with a lower ID existed before `root`.
    parents = new Map(now.map((pid) => [pid, parents.get(pid) ?? (pid < root ? 0 : parentOf(pid))]));
    const isBelow = (pid: number): boolean =>
      pid === root || below.has(pid) || (parents.has(pid) && pid !== 0 && isBelow(parents.get(pid) ?? 0));
    below = new Set(now.filter(isBelow));
    return [...below];
  };
}

const listProcesses = (): readonly number[] =>
  (orNothing(() => readdirSync("/proc")) ?? []).flatMap((name) => (/^\d+$/.test(name) ? Number(name) : []));

/** The number of the process or thread that was started last: `0.20 0.18 0.12 1/80 11206`. Source: proc_loadavg(5). */
const newestProcess = (): string | undefined => readIfThere("/proc/loadavg").trim().split(" ")[4];

const parentOf = (pid: number): number => Number(/\) \S+ (\d+)/.exec(readIfThere(`/proc/${pid}/stat`))?.[1]);

function socketsOf(pid: number): readonly string[] {
  const folder = `/proc/${pid}/fd`;
  const names = orNothing(() => readdirSync(folder)) ?? [];
  return names.flatMap(
    (name) => /^socket:\[(\d+)\]$/.exec(orNothing(() => readlinkSync(join(folder, name))) ?? "")?.[1] ?? [],
  );
}

function commandOf(pid: number): string {
  const [program = ""] = readIfThere(`/proc/${pid}/cmdline`).split("\0");
  return basename(program);
}

const readIfThere = (file: string): string => orNothing(() => readFileSync(file, "latin1")) ?? "";

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
  const asked = named.map(async (name) => {
    const host = name.replace(/:\d+$/, "");
    const addresses = await lookup(host, { all: true }).catch(() => []);
    for (const address of addresses.map((one) => canonical(one.address)))
      if (!found.has(address)) found.set(address, host);
  });
  let patience: NodeJS.Timeout | undefined;
  const waited = new Promise<void>((done) => (patience = setTimeout(done, PATIENCE_MS)));
  await Promise.race([Promise.all(asked), waited]);
  clearTimeout(patience);
  return found;
}
