import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { Redis } from "ioredis";
import { describe, expect, it, onTestFinished } from "vitest";
import { openRemote } from "../../src/remote/open-remote.ts";
import { aFolder } from "../support/a-folder.ts";
import { casesOf } from "../support/cases.ts";
import { seeded } from "../support/seeded.ts";
import { aStoreOver } from "../team/a-store-over.ts";
import { aTeam } from "../team/a-team.ts";
import { aBadLine, type BadLine } from "./a-bad-line.ts";
import { programOf, redisAt, startRedis, titleOf, type RunningServer } from "./servers.ts";

const isLong = casesOf({ quick: false, long: true });
const RUNS = 1_000;
/** Many ask what others have recorded before. */
const [FOLDERS, CALLS] = [40, 100];
/** Nobody waits long for a server that is meant to hang. */
const LIMITS = { firstMs: 400, leastMs: 100, mostMs: 400 };

interface Engine {
  server: RunningServer;
  readonly line: BadLine;
  /** Past the line. */
  readonly admin: Redis;
}

/** What happens to the server in the middle of a run, and what mends it. */
const FAULTS: readonly ((engine: Engine, chance: () => number) => Promise<unknown>)[] = [
  async function filled({ admin }) {
    await admin.config("SET", "maxmemory", "1");
    await setTimeout(40);
    await admin.config("SET", "maxmemory", "0");
  },
  async function corrupted({ admin }) {
    for (const key of await admin.keys("*/calls/*"))
      await admin.set(key, ((await admin.get(key)) ?? "").replace(/Answer \d/, "Answer 9"));
  },
  async function hung({ line }) {
    line.set({ kind: "hang", after: 0 });
    await setTimeout(150);
    line.set({ kind: "none" });
  },
  async function garbled({ line }, chance) {
    line.set({ kind: "corrupt", at: Math.floor(chance() * 3_000) });
    await setTimeout(40);
    line.set({ kind: "none" });
  },
  async function cutOff({ line }, chance) {
    line.set({ kind: "cut", after: Math.floor(chance() * 3_000) });
    await setTimeout(40);
    line.set({ kind: "none" });
  },
  async function stopped({ server }) {
    server.process.kill("SIGSTOP");
    await setTimeout(150);
    server.process.kill("SIGCONT");
  },
  async function emptied({ admin }) {
    await admin.flushall();
  },
  async function killed(engine) {
    const { port } = engine.server;
    engine.admin.disconnect();
    await engine.server.stop();
    engine.server = await startRedis({ port });
    await engine.admin.connect();
  },
];

const why = isLong ? "" : " (takes minutes: npm run remote)";

describe.skipIf(programOf("redis-server") === undefined || !isLong)(
  `${titleOf("redis-server")}${why}:`,
  () => {
    it(
      `${RUNS} times killed, hung, filled, emptied, corrupted or cut off in the middle of a run, it fails none, gives no wrong reply and loses nothing`,
      { timeout: 1_200_000 },
      async () => {
        const team = await aTeam();
        const chance = seeded(23);
        const below = (most: number): number => Math.floor(chance() * most);
        const engine = await anEngine();
        const dirs = Array.from({ length: FOLDERS }, () => join(aFolder(), ".tapedeck"));
        for (const dir of dirs) mkdirSync(dir);
        const answered: (readonly [dir: string, word: string, text: string])[] = [];
        const wrong: string[] = [];
        for (let run = 0; run < RUNS; run += 1) {
          const dir = dirs[run % dirs.length] ?? "";
          // Each once: a second take is another answer.
          const first = below(CALLS);
          const words = Array.from({ length: 4 }, (_, index) => `call ${(first + index) % CALLS}`);
          const address = redisAt(engine.line.port, { prefix: "tapedeck:" });
          const store = aStoreOver({
            dir,
            settings: team.settings({ writes: true }),
            open: (signal) => openRemote(address, { write: true, signal, limits: LIMITS }),
          });
          const machine = team.machine("without", { dir, store });
          const fault = FAULTS[run % FAULTS.length]!;

          const asking = machine.ask("record", ...words);
          await setTimeout(below(25));
          const [told] = await Promise.all([asking, fault(engine, chance)]);
          await machine.close();
          await store.close();

          for (const [index, { outcome, text }] of told.entries()) {
            const [, number] = /^Answer (\d+) to /.exec(text) ?? [];
            const isRight = team.upstream.words[Number(number) - 1] === words[index];
            if (!isRight || !["recorded", "replayed"].includes(outcome))
              wrong.push(`${run}, ${fault.name}: ${outcome} ${text}`);
            answered.push([dir, words[index] ?? "", text]);
          }
        }

        expect(wrong).toEqual([]);
        // Without the cache everything is here that a machine was ever answered with: as its first take, or as a later one
        // where the cache was found to have another after all.
        for (const dir of dirs) {
          const mine = answered.filter(([of]) => of === dir);
          const words = [...new Set(mine.map(([, word]) => word))];
          const told = await team
            .machine("without", { dir })
            .ask("strict", ...words, ...words, ...words, ...words);
          const here = new Set(told.map(({ text }) => text));
          expect(mine.map(([, , text]) => text).filter((text) => !here.has(text))).toEqual([]);
        }
      },
    );
  },
);

async function anEngine(): Promise<Engine> {
  const server = await startRedis();
  const line = await aBadLine(() => engine.server.port);
  const admin = new Redis({ port: server.port, lazyConnect: true, retryStrategy: null });
  admin.on("error", () => {});
  const engine: Engine = { server, line, admin };
  onTestFinished(async () => {
    admin.disconnect();
    await engine.server.stop();
  });
  await admin.connect();
  return engine;
}
