import { join } from "node:path";
import { build } from "esbuild";
import { describe, expect, it, onTestFinished } from "vitest";
import { asProgram } from "../../scripts/bundling.mjs";
import { newSharedKey } from "../../src/remote/sealed/team-keys.ts";
import { aFolder } from "../support/a-folder.ts";
import { casesOf } from "../support/cases.ts";
import { aPaidUpstream, makeHosts, runMachine, whyNoHosts } from "./hosts.ts";
import type { MachineArgs, MachineTold } from "./machine-process.ts";
import { programOf, startRedis, titleOf, type RunningServer } from "./servers.ts";

const PROCESSES = 8;
const HOSTS = 3;
const CALLS = 500;
const isLong = casesOf({ quick: false, long: true });
const why = whyNoHosts ?? (isLong ? undefined : "takes long: npm run remote");

interface Engine {
  readonly name: "redis-server" | "valkey-server" | "versitygw";
  readonly start: () => Promise<RunningServer>;
  /** Its address as one of the hosts sees it. */
  readonly at: (gateway: string, port: number) => string;
}

/** The line to the engine has no TLS here, and that is said. */
const EXPECTED = /is not encrypted/;

const redis = (name: "redis-server" | "valkey-server"): Engine => ({
  name,
  start: () => startRedis({ name, extra: ["--bind", "0.0.0.0", "--protected-mode", "no"] }),
  at: (gateway, port) => `redis://${gateway}:${port}/0`,
});
const ENGINES: readonly Engine[] = [redis("redis-server"), redis("valkey-server")];

describe.skipIf(why !== undefined)(
  `${PROCESSES} processes on ${HOSTS} hosts that record the same calls at once${why === undefined ? "" : ` (${why})`}`,
  () => {
    for (const { name, start, at } of ENGINES)
      it.skipIf(programOf(name) === undefined)(
        `into ${titleOf(name)} pay each once or twice, lose none, and have takes in one order`,
        { timeout: 600_000 },
        async () => {
          const server = await start();
          onTestFinished(() => server.stop());
          const hosts = makeHosts(HOSTS);
          const upstream = await aPaidUpstream();
          const home = aFolder();
          const script = join(home, "machine.mjs");
          await build({ ...asProgram, entryPoints: ["test/remote/machine-process.ts"], outfile: script });
          const key = newSharedKey();
          const machine = (index: number, more: Partial<MachineArgs> = {}): Promise<MachineTold> => {
            const host = hosts[index % HOSTS]!;
            return runMachine(host, script, {
              dir: join(home, `machine-${index}`, ".tapedeck"),
              mode: "record",
              upstream: `http://${host.gateway}:${upstream.port}`,
              said: { address: at(host.gateway, server.port), key, writes: true, encrypt: false },
              calls: CALLS,
              from: (index % 2) * 7,
              atOnce: 4,
              ...more,
            });
          };
          const all = Array.from({ length: PROCESSES }, (_, index) => index);

          const recorded = await Promise.all(all.map((index) => machine(index)));
          // One that has nothing, too.
          const replayed = await Promise.all(
            [...all, PROCESSES].map((index) => machine(index, { mode: "strict" })),
          );

          const said = [...recorded, ...replayed].flatMap(({ warnings }) => warnings);
          expect(said.filter((warning) => !EXPECTED.test(warning))).toEqual([]);
          expect(upstream.paid.size).toBe(CALLS);
          expect(Math.max(...upstream.paid.values())).toBeLessThanOrEqual(2);
          expect(replayed.map(({ outcomes }) => outcomes)).toEqual(replayed.map(() => ({ replayed: CALLS })));
          expect(new Set(replayed.map(({ answers }) => JSON.stringify(answers))).size).toBe(1);
          expect(otherOrders(replayed)).toEqual([]);
        },
      );
  },
);

/** Keys whose takes are not the same from the first on, wherever there are as many. */
function otherOrders(machines: readonly MachineTold[]): readonly string[] {
  const longest = new Map<string, readonly string[]>();
  for (const { takes } of machines)
    for (const [key, list] of Object.entries(takes))
      if (list.length > (longest.get(key)?.length ?? 0)) longest.set(key, list);
  return machines.flatMap(({ takes }) =>
    Object.entries(takes).flatMap(([key, list]) =>
      list.every((said, index) => said === longest.get(key)?.[index]) ? [] : [key],
    ),
  );
}
