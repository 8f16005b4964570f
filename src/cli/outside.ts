import { lookup } from "node:dns/promises";
import { readdir, readFile, readlink } from "node:fs/promises";
import { basename, join } from "node:path";
import process from "node:process";

/**
 * Connections of programs without our hooks, as Linux lists them: what a command starts may drop its environment or be
 * in a language that loads none. Whose address it is, is asked once the command has ended, and only where one went out.
 */
export interface Outside {
  readonly pid: number;
  /** The program's name; its arguments may hold a key. */
  readonly command: string;
  readonly host: string;
}

export interface OutsideWatch {
  /** Connections so far to addresses of `hosts`, each process and host once. */
  end(hosts: readonly string[]): Promise<readonly Outside[]>;
}

interface WatchOptions {
  /** Of processes that have hooks: those answer for themselves. */
  readonly isLookedAt: (pid: number) => boolean;
  /** Whether a connection to there leaves this machine. */
  readonly isOutside?: (address: string) => boolean;
}

/** A call to a model takes several times as long, with its TLS. */
const LOOK_EVERY_MS = 100;
/** A name server that does not answer is not waited for. */
const PATIENCE_MS = 2_000;

/** Looks at what `root` and its descendants connect to; at nothing where the system does not list it. */
export function watchOutside(
  root: number,
  { isLookedAt, isOutside = leavesMachine }: WatchOptions,
): OutsideWatch {
  const found = new Map<string, Omit<Outside, "host"> & { readonly address: string }>();
  let looking: Promise<void> | undefined;
  const lookNow = async (): Promise<void> => {
    const open = await openConnections(isOutside);
    if (open.size === 0) return;
    for (const pid of await descendantsOf(root)) {
      if (isLookedAt(pid)) continue;
      for (const inode of await socketsOf(pid)) {
        const address = open.get(inode);
        const key = `${pid} ${address}`;
        if (address === undefined || found.has(key)) continue;
        found.set(key, { pid, command: await commandOf(pid), address });
      }
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
      // Hooks may have said so after the first look.
      const unseen = [...found.values()].filter(({ pid }) => !isLookedAt(pid));
      if (unseen.length === 0) return [];
      const hostOf = await addressesOf(hosts);
      const all = unseen.flatMap(({ pid, command, address }) => {
        const host = hostOf.get(address);
        return host === undefined ? [] : [{ pid, command, host }];
      });
      return [...new Map(all.map((one) => [`${one.pid} ${one.host}`, one])).values()];
    },
  };
}

/** Addresses at the other end, by the number of the socket. */
async function openConnections(isOutside: (address: string) => boolean): Promise<Map<string, string>> {
  const tables = await Promise.all(["tcp", "tcp6"].map((name) => readIfThere(`/proc/net/${name}`)));
  const open = new Map<string, string>();
  for (const line of tables.flatMap((table) => table.split("\n").slice(1))) {
    const [, , remote = "", , , , , , , inode = "0"] = line.trim().split(/\s+/);
    const [address = "", port = "0000"] = remote.split(":");
    const text = addressIn(address);
    if (inode !== "0" && port !== "0000" && isOutside(text)) open.set(inode, text);
  }
  return open;
}

/** As the kernel writes it: words of four bytes, the last byte first. */
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

/** `root` and all that it started, but for what let go of it. */
async function descendantsOf(root: number): Promise<readonly number[]> {
  const names = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const parents = new Map<number, number>();
  for (const name of names) {
    const [, parent = "0"] = /\) \S+ (\d+)/.exec(await readIfThere(`/proc/${name}/stat`)) ?? [];
    parents.set(Number(name), Number(parent));
  }
  const isBelow = (pid: number): boolean =>
    pid === root || (parents.has(pid) && pid !== 0 && isBelow(parents.get(pid) ?? 0));
  return [...parents.keys()].filter(isBelow);
}

async function socketsOf(pid: number): Promise<readonly string[]> {
  const folder = `/proc/${pid}/fd`;
  const names = await readdir(folder).catch(() => []);
  const targets = await Promise.all(names.map((name) => readlink(join(folder, name)).catch(() => "")));
  return targets.flatMap((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? []);
}

async function commandOf(pid: number): Promise<string> {
  const [program = ""] = (await readIfThere(`/proc/${pid}/cmdline`)).split("\0");
  return basename(program);
}

/** Processes come and go. */
const readIfThere = (file: string): Promise<string> => readFile(file, "latin1").catch(() => "");

/** Names with "*" have no address. Google's serve everything that it has: an address there says nothing. */
async function addressesOf(hosts: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const named = hosts.filter((host) => !host.includes("*") && !host.endsWith(".googleapis.com"));
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
