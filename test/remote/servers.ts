import { spawn, type ChildProcess } from "node:child_process";
import { accessSync, constants, mkdirSync } from "node:fs";
import { createServer, connect, type AddressInfo } from "node:net";
import { delimiter, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { RedisAddress, S3Address } from "../../src/remote/address.ts";
import { aLastingFolder } from "../support/a-folder.ts";

/** Where `npm run remote` puts servers. */
const OWN = join(import.meta.dirname, "node_modules", ".servers", "bin");

/** How each server is had, for the title of a test that is skipped without it. */
const HOW = {
  "redis-server": "apt-get install redis-server",
  "valkey-server": "npm run remote",
  versitygw: "npm run remote",
  moto_server: "npm run remote",
} as const;

type ServerName = keyof typeof HOW;

/** The path of a server's program; undefined where it is not installed. */
export function programOf(name: ServerName): string | undefined {
  return [OWN, ...(process.env["PATH"] ?? "").split(delimiter)]
    .map((folder) => join(folder, name))
    .find(canRun);
}

/** "redis-server", or why its tests are skipped. */
export function titleOf(name: ServerName): string {
  return programOf(name) === undefined ? `${name} (not installed: ${HOW[name]})` : name;
}

function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A server's process, in a temporary folder. */
export interface RunningServer {
  readonly port: number;
  readonly dir: string;
  readonly process: ChildProcess;
  /** Ends it and removes its folder. */
  stop(): Promise<void>;
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

interface Start {
  readonly args: (port: number, dir: string) => readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly port?: number;
}

async function start(name: ServerName, { args, env = {}, port: wanted }: Start): Promise<RunningServer> {
  const program = programOf(name);
  if (program === undefined) throw new Error(`${name} is not installed`);
  const { path: dir, remove } = aLastingFolder();
  const port = wanted ?? (await freePort());
  const child = spawn(program, args(port, dir), {
    stdio: "ignore",
    env: { ...process.env, ...env },
    cwd: dir,
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const stop = async (): Promise<void> => {
    child.kill("SIGKILL");
    await ended;
    remove();
  };
  for (let attempt = 0; !(await isListening(port)); attempt += 1) {
    if (child.exitCode !== null || attempt > 1_000) {
      await stop();
      throw new Error(`${name} did not start: ended with ${child.exitCode}`);
    }
    await setTimeout(20);
  }
  return { port, dir, process: child, stop };
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true));
    socket.once("error", () => resolve(false));
    socket.once("close", () => socket.destroy());
    socket.once("connect", () => socket.destroy());
  });
}

/** A Redis or Valkey that keeps nothing on disk. */
export function startRedis({
  name = "redis-server",
  extra = [],
  port,
}: {
  readonly name?: "redis-server" | "valkey-server";
  readonly extra?: readonly string[];
  readonly port?: number;
} = {}): Promise<RunningServer> {
  const args = (own: number): readonly string[] => [
    "--port",
    String(own),
    "--bind",
    "127.0.0.1",
    "--save",
    "",
    "--appendonly",
    "no",
    ...extra,
  ];
  return start(name, { args, ...(port !== undefined && { port }) });
}

let count = 0;
/** Returns a new prefix on a server that other tests use too. */
function newPlace(): string {
  count += 1;
  return `${process.pid}-${count}`;
}

export function redisAt(port: number, more: Partial<RedisAddress> = {}): RedisAddress {
  return {
    type: "redis",
    name: `redis://127.0.0.1:${port}/0`,
    host: "127.0.0.1",
    port,
    tls: false,
    database: 0,
    prefix: `tapedeck:${newPlace()}:`,
    user: undefined,
    password: undefined,
    ...more,
  };
}

const CREDENTIALS = {
  accessKeyId: "tapedecktests",
  secretAccessKey: "not-a-secret",
  sessionToken: undefined,
};

/** versitygw on a folder, with the bucket "team" in it. */
export function startVersity({
  extra = [],
  port,
}: { readonly extra?: readonly string[]; readonly port?: number } = {}): Promise<RunningServer> {
  return start("versitygw", {
    args(own, dir) {
      mkdirSync(join(dir, "root", "team"), { recursive: true });
      return [
        "--port",
        `127.0.0.1:${own}`,
        "--region",
        "us-east-1",
        "--quiet",
        "--keep-alive",
        ...extra,
        "posix",
        join(dir, "root"),
      ];
    },
    env: { ROOT_ACCESS_KEY: CREDENTIALS.accessKeyId, ROOT_SECRET_KEY: CREDENTIALS.secretAccessKey },
    ...(port !== undefined && { port }),
  });
}

export function startMoto(): Promise<RunningServer> {
  return start("moto_server", { args: (port) => ["-H", "127.0.0.1", "-p", String(port)] });
}

export function s3At(port: number, more: Partial<S3Address> = {}): S3Address {
  return {
    type: "s3",
    name: "s3://team",
    endpoint: `http://127.0.0.1:${port}`,
    region: "us-east-1",
    bucket: "team",
    prefix: `place-${newPlace()}/`,
    style: "path",
    credentials: CREDENTIALS,
    ...more,
  };
}
