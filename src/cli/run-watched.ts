import { localize } from "../core/base/localize.ts";
import { setImmediate } from "node:timers/promises";
import type { Mode } from "../core/call/call.ts";
import { guardedHosts } from "../core/protocol/origin.ts";
import type { SeenSoFar } from "../server/seen.ts";
import { childEnvironment, findHooks } from "./child-environment.ts";
import { joinParent } from "./attached.ts";
import { runChild, type ChildOptions } from "./child.ts";
import { watchOutside, type OutsideWatch } from "./outside.ts";
import type { Serving } from "./serving.ts";
import { spawn, type ChildProcess } from "node:child_process";
import { statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { readBytesNow } from "../storage/folder/read-file.ts";
import { makeTemporaryFolder } from "../storage/local/temporary-folder.ts";
import process from "node:process";
import { tapedeckError, type TapedeckError } from "../core/base/errors.ts";

export interface WatchedCommand {
  readonly command: readonly string[];
  readonly guards: boolean;
  readonly isSealed: boolean;
  readonly blocksNetwork: boolean;
  /** Whether the command is the process that started this one, which is already running. */
  readonly isAttached: boolean;
}

interface Watching extends Pick<ChildOptions, "output" | "terminal"> {
  readonly serving: Serving;
  readonly mode: Mode;
  readonly seen: SeenSoFar;
}

/**
 * Runs a command with an environment that points to the server and resolves to its exit code. Also notes the
 * connections of programs without hooks, except in a sealed run, which has no outside access.
 * @throws TapedeckError if the command cannot be started.
 */
export async function runWatched(watched: WatchedCommand, watching: Watching): Promise<number> {
  const folder = makeTemporaryFolder("run");
  try {
    return await runReporting(join(folder, "starts"), watched, watching);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runReporting(
  startsFile: string,
  { command, guards, isSealed, blocksNetwork, isAttached }: WatchedCommand,
  { serving, mode, seen, output, terminal }: Watching,
): Promise<number> {
  const env = await childEnvironment(serving, mode, terminal, {
    command,
    guards,
    blocksNetwork,
    startsFile,
  });
  const noteStarts = followStarts(startsFile, serving, seen);
  if (isSealed) {
    const seal = await sealedFor(serving);
    try {
      return await runChild(seal.into(command), { env, output, terminal });
    } finally {
      noteStarts();
      await seal.release();
    }
  }
  let outside: OutsideWatch | undefined;
  const onStart = (pid: number): void => {
    const isLookedAt = (one: number): boolean => one === process.pid || seen.hasHooks(one);
    outside = watchOutside(pid, { isLookedAt, onLook: noteStarts });
  };
  try {
    if (!isAttached) return await runChild(command, { env, output, terminal, onStart });
    onStart(process.ppid);
    return await joinParent(env, terminal);
  } finally {
    noteStarts();
    const { hosts } = guardedHosts(serving.deck.providers);
    for (const one of (await outside?.end(hosts)) ?? []) seen.passed({ ...one, reason: NO_HOOKS });
    await drainConnections();
  }
}

/**
 * Returns a function that notes what the hooks of Node processes wrote since its last call. The file has a line for each
 * process, its pid and what it runs, and one for its first test: its pid, "@tests", and the runner.
 */
function followStarts(file: string, { admission: { run } }: Serving, seen: SeenSoFar): () => void {
  let read = 0;
  return () => {
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) === read) return;
    const bytes = readBytesNow(file);
    const end = bytes.lastIndexOf("\n") + 1;
    for (const line of bytes.toString("utf8", read, end).split("\n")) {
      const [, pid, command = ""] = /^(\d+) (.*)$/.exec(line) ?? [];
      if (pid === undefined) continue;
      const [, runner] = /^@tests ([a-z][\w-]{0,31})$/.exec(command) ?? [];
      if (runner !== undefined) seen.note({ kind: "tests", run, runner });
      else seen.note({ kind: "hello", run, pid: Number(pid), command: command.slice(0, 300) });
    }
    read = end;
  };
}

/** Waits until the server has accepted, read, and parsed what exiting processes sent: one event loop turn per step. */
async function drainConnections(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await setImmediate();
}

const NO_HOOKS = localize("this program has no Tapedeck hooks, and connected to an address of that host");

/** A network namespace without access to the outside, in which only the replay server answers. */
interface Seal {
  /** Returns the command line that runs `command` in the namespace as the same user. */
  into(command: readonly string[]): readonly string[];
  /** Removes the namespace. Processes that still run in it are not ended. */
  release(): Promise<void>;
}

/** @throws TapedeckError if this system cannot create the namespace; the command must not run then. */
async function sealedFor(serving: Serving): Promise<Seal> {
  if (process.platform !== "linux")
    throw cannotSeal(localize("this is {0}, and only Linux can do it", process.platform));
  const hooks = findHooks();
  if (hooks === undefined) throw cannotSeal(localize("a file of Tapedeck is missing"));
  const folder = makeTemporaryFolder("sealed");
  const path = join(folder, "server");
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    await serving.listenAt(path);
    const relay = [process.execPath, join(hooks, "javascript", "sealed-relay.cjs"), serving.port, path];
    const holder = startHolder(relay.map(String));
    await ready(holder);
    return {
      into: (command) => [
        "nsenter",
        "--target",
        String(holder.pid),
        ...NAMESPACE_FLAGS.enter,
        "--",
        ...command,
      ],
      async release() {
        holder.stdin?.end();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Root needs no user namespace, and all user IDs stay the same. Other users keep only their own user ID. */
const NAMESPACE_FLAGS =
  process.getuid?.() === 0
    ? { make: ["--net"], enter: ["--net"] }
    : {
        make: ["--user", "--net", "--map-current-user", "--keep-caps"],
        enter: ["--user", "--net", "--preserve-credentials"],
      };

/** Passes the command as arguments, so that the shell does not interpret paths. */
const UP_THEN = `ip link set lo up && exec "$@"`;

function startHolder(relay: readonly string[]): ChildProcess {
  const { NODE_OPTIONS: _, ...env } = process.env;
  const args = [...NAMESPACE_FLAGS.make, "--", "sh", "-c", UP_THEN, "sh", ...relay];
  // A separate process group keeps signals for the command from ending the holder.
  return spawn("unshare", args, { env, stdio: "pipe", detached: true });
}

function ready(holder: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = "";
    holder.stderr?.on("data", (piece: Buffer) => (said += piece.toString()));
    holder.stdout?.once("data", () => resolve());
    holder.once("error", ({ message }) => reject(cannotSeal(message)));
    holder.once("close", (code) =>
      reject(cannotSeal(said.trim().split("\n").at(-1) ?? localize("it ended with {0}", String(code)))),
    );
    holder.stdin?.on("error", () => {});
    holder.unref();
  });
}

function cannotSeal(why: string): TapedeckError {
  return tapedeckError(
    "tapedeck_refused",
    localize("This run cannot be sealed: {0}. Nothing was started.", why),
    {
      hint: localize(
        "Use Linux with unshare, nsenter, and ip, and the permission to create namespaces, or run without --sealed.",
      ),
    },
  );
}
