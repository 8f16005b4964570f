import { randomBytes } from "node:crypto";
import { describe, expect, it, onTestFinished } from "vitest";
import type { TeamAddress } from "../../src/remote/address.ts";
import { openObjectStore, type ObjectStore } from "../../src/remote/object-store.ts";
import { casesOf } from "../support/cases.ts";

/** More than S3 and Redis list in one answer, if all cases are run. */
const MANY = casesOf({ quick: 30, long: 1_203 });

/** The contract of the four methods for every engine. `makeAddress` returns a new, empty location each time. */
export function objectStoreContract(
  name: string,
  makeAddress: () => TeamAddress | Promise<TeamAddress>,
): void {
  const openAt = async (address: TeamAddress): Promise<ObjectStore> => {
    const store = await openObjectStore(address);
    onTestFinished(() => store.close());
    return store;
  };
  const textOf = async (store: ObjectStore, object: string): Promise<string | undefined> => {
    const bytes = await store.get(object);
    return bytes && Buffer.from(bytes).toString();
  };

  describe(`${name}:`, () => {
    it("has nothing while it is empty", async () => {
      const store = await openAt(await makeAddress());

      expect(await store.get("calls/openai/ab/abcd.takes")).toBeUndefined();
      expect(await store.list("")).toEqual([]);
      expect(await store.list("calls/")).toEqual([]);
    });

    it("gives back what was written, byte for byte", async () => {
      const store = await openAt(await makeAddress());
      const contents = [Buffer.alloc(0), Buffer.from([0, 255, 10, 13]), randomBytes(3_000_000)];

      for (const [index, bytes] of contents.entries()) await store.put(`blobs/${index}`, bytes);

      for (const [index, bytes] of contents.entries()) {
        const found = await store.get(`blobs/${index}`);
        expect(Buffer.compare(Buffer.from(found ?? "none"), bytes)).toBe(0);
      }
    });

    it("replaces an object whole, also while others read and write it", async () => {
      const address = await makeAddress();
      const [one, other] = [await openAt(address), await openAt(address)];
      const texts = Array.from({ length: 8 }, (_, index) => `${index}`.repeat(50_000));
      await one.put("calls/a.takes", Buffer.from(texts[0] ?? ""));

      const reads = await Promise.all(
        texts.map(async (text, index) => {
          await (index % 2 === 0 ? one : other).put("calls/a.takes", Buffer.from(text));
          return textOf(index % 2 === 0 ? other : one, "calls/a.takes");
        }),
      );
      await other.put("calls/a.takes", Buffer.from("last"));

      for (const read of reads) expect(texts).toContain(read);
      expect(await textOf(one, "calls/a.takes")).toBe("last");
    });

    it("lists the names that begin with a prefix, each once", async () => {
      const store = await openAt(await makeAddress());
      const names = Array.from({ length: MANY }, (_, index) => `calls/my%20own/${index % 7}/${index}.takes`);
      for (let at = 0; at < MANY; at += 50)
        await Promise.all(names.slice(at, at + 50).map((object) => store.put(object, Buffer.from("{}"))));
      await store.put("blobs/1", Buffer.from("x"));

      expect([...(await store.list("calls/"))].sort()).toEqual([...names].sort());
      expect([...(await store.list("calls/my%20own/3/"))].sort()).toEqual(
        names.filter((object) => object.includes("/3/")).sort(),
      );
      expect(await store.list("calls/nobody/")).toEqual([]);
    });

    it("ends with the reason if a caller gives up, and works afterwards", async () => {
      const store = await openAt(await makeAddress());
      const reason = new Error("given up");
      await expect(store.get("a", AbortSignal.abort(reason))).rejects.toBe(reason);
      const controller = new AbortController();
      const reading = store.get("a", controller.signal);
      controller.abort(reason);

      await expect(reading).rejects.toBe(reason);
      await store.put("a", Buffer.from("a"));
      expect(await textOf(store, "a")).toBe("a");
    });

    it("refuses names that would leave its place", async () => {
      const store = await openAt(await makeAddress());

      for (const bad of [
        "",
        "/",
        "../a",
        "a/../b",
        "a//b",
        "a/.b",
        "a\nb",
        "a b",
        "ä",
        "a/",
        "x".repeat(800),
      ])
        await expect(store.get(bad)).rejects.toThrow("is not the name of an object");
    });
  });
}
