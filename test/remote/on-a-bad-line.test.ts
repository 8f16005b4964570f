import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RemoteAddress } from "../../src/remote/address/remote-address.ts";
import { faultOf } from "../../src/remote/failures.ts";
import { openRemote } from "../../src/remote/open-remote.ts";
import type { RemoteStore } from "../../src/remote/remote-store.ts";
import { openObject, sealObject } from "../../src/remote/sealed/seal.ts";
import { newSharedKey, readTeamKeys } from "../../src/remote/sealed/team-keys.ts";
import { casesOf } from "../support/cases.ts";
import { seeded } from "../support/seeded.ts";
import { aBadLine, type BadLine, type Fault } from "./a-bad-line.ts";
import { aKey, never } from "./a-remote.ts";
import {
  programOf,
  redisAt,
  s3At,
  startRedis,
  startVersity,
  titleOf,
  type RunningServer,
} from "./servers.ts";

const ENGINES = [
  { name: "redis-server", start: startRedis, at: redisAt },
  { name: "versitygw", start: startVersity, at: s3At },
] as const;

const LIMITS = { firstMs: 10_000, leastMs: 50, mostMs: 250 };
/** Where nothing is to be too slow, on a busy machine either. */
const PATIENT = { firstMs: 30_000, leastMs: 30_000, mostMs: 30_000 };
const IMPATIENT = { firstMs: 250, leastMs: 250, mostMs: 250 };
const CASES = casesOf({ quick: 30, long: 1_000 });
const KEYS = readTeamKeys(newSharedKey());

for (const { name, start, at } of ENGINES)
  describe.skipIf(programOf(name) === undefined)(`${titleOf(name)} behind a bad line:`, () => {
    let server: RunningServer;
    beforeAll(async () => void (server = await start()));
    afterAll(() => server?.stop());

    const through = async (line: BadLine, address: RemoteAddress, limits = LIMITS): Promise<RemoteStore> =>
      openRemote({ ...address, ...placeOf(address, line.port) }, { write: true, signal: never, limits });

    it(`of ${CASES} calls that are cut, held up or garbled, none gives wrong bytes, and each ends in time`, async () => {
      const line = await aBadLine(() => server.port);
      const remote = await through(line, at(server.port));
      const random = seeded(23);
      const objects = new Map<string, Uint8Array>();
      const wrong: string[] = [];
      const became = new Map<string, number>();
      let longestMs = 0;

      for (let index = 0; index < CASES; index += 1) {
        const object = `trusted/calls/openai/${aKey(`${index}`)}.json`;
        const bytes = Buffer.from(`${index} `.repeat(1 + Math.floor(random() * 4_000)));
        const sealed = sealObject(object, bytes, KEYS);
        const fault = faultFor(random);
        line.set({ kind: "none" });
        if (index % 2 === 0) await surely(() => remote.add(object, sealed, never));
        line.set(fault);

        const began = performance.now();
        const outcome = await (
          index % 2 === 0 ? remote.get(object, never) : remote.add(object, sealed, never)
        ).catch((error: unknown) => faultOf(error) ?? `a failure that is none of ours: ${String(error)}`);
        longestMs = Math.max(longestMs, performance.now() - began);

        const what = typeof outcome === "string" ? outcome : outcome === undefined ? "none" : "bytes";
        became.set(what, (became.get(what) ?? 0) + 1);
        if (what.startsWith("a failure")) wrong.push(`${index} ${fault.kind}: ${what}`);
        if (what === "none" && fault.kind !== "corrupt")
          wrong.push(`${index} ${fault.kind}: said to be absent`);
        if (typeof outcome === "object" && !isEither(outcome, object, bytes))
          wrong.push(`${index} ${fault.kind}: trusted`);
        if (what === "added" || index % 2 === 0) objects.set(object, bytes);
      }

      line.set({ kind: "none" });
      for (const [object, bytes] of objects) {
        const opened = openObject(
          object,
          (await surely(() => remote.get(object, never))) ?? Buffer.alloc(0),
          KEYS,
        );
        if (!("bytes" in opened) || Buffer.compare(opened.bytes, bytes) !== 0)
          wrong.push(`${object}: not there any more`);
      }
      await remote.close();
      expect(wrong).toEqual([]);
      expect([...became.keys()]).toEqual(expect.arrayContaining(["bytes", "added", "down", "slow"]));
      expect(longestMs).toBeLessThan(5_000);
    });

    it("is down while nothing answers, and up again by itself", async () => {
      const line = await aBadLine(() => server.port);
      const remote = await through(line, at(server.port), PATIENT);
      await remote.add("trusted/a", Buffer.from("a"), never);

      line.set({ kind: "refuse" });
      const fault = await remote.get("trusted/a", never).catch(faultOf);
      line.set({ kind: "none" });

      expect(fault).toBe("down");
      expect(Buffer.from((await remote.get("trusted/a", never)) ?? "").toString()).toBe("a");
      await remote.close();
    });

    it("is given up in the middle of an answer that does not come", async () => {
      const line = await aBadLine(() => server.port);
      const remote = await through(line, at(server.port), PATIENT);
      await remote.add("trusted/b", Buffer.alloc(100_000), never);
      line.set({ kind: "hang", after: 1_000 });
      const controller = new AbortController();
      const reading = remote.get("trusted/b", controller.signal);
      controller.abort(new Error("enough"));

      await expect(reading).rejects.toThrow("enough");

      line.set({ kind: "none" });
      expect(await remote.get("trusted/b", never)).toHaveLength(100_000);
      await remote.close();
    });

    it("leaves a connection that does not answer any more, and makes another", async () => {
      const line = await aBadLine(() => server.port);
      const remote = await through(line, at(server.port));
      await surely(() => remote.add("trusted/c", Buffer.from("c"), never));
      line.set({ kind: "hang", after: 0 });
      expect(await remote.get("trusted/c", never).catch(faultOf)).toBe("slow");

      line.letNewOnesThrough();

      expect(Buffer.from((await surely(() => remote.get("trusted/c", never))) ?? "").toString()).toBe("c");
      await remote.close();
    });

    it("cannot be opened where nothing listens, where something else does, or where nobody answers", async () => {
      const line = await aBadLine(() => server.port);
      const failures: unknown[] = [];
      for (const fault of [{ kind: "refuse" }, { kind: "hang", after: 0 }] as const) {
        line.set(fault);
        failures.push(await through(line, at(server.port), IMPATIENT).catch(faultOf));
      }

      expect(failures).toEqual(["down", "slow"]);
    });
  });

/** On a good line a busy machine may still be too slow for so short a patience. */
async function surely<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1)
    try {
      return await work();
    } catch (error) {
      if (attempt === 10) throw error;
    }
}

/** Bytes that were changed on the way are given back as they came; only their seal tells. */
function isEither(found: Uint8Array, object: string, bytes: Uint8Array): boolean {
  const opened = openObject(object, found, KEYS);
  return "refused" in opened || Buffer.compare(opened.bytes, bytes) === 0;
}

function faultFor(random: () => number): Fault {
  const at = Math.floor(random() * random() * 12_000);
  const kinds = ["none", "refuse", "cut", "corrupt", "cut", "corrupt", "hang"] as const;
  const kind = kinds[Math.floor(random() * kinds.length)] ?? "none";
  return kind === "cut" || kind === "hang"
    ? { kind, after: at }
    : kind === "corrupt"
      ? { kind, at }
      : { kind };
}

function placeOf(address: RemoteAddress, port: number): object {
  return address.type === "s3" ? { endpoint: `http://127.0.0.1:${port}` } : { port };
}
