import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { faultOf } from "../../src/remote/failures.ts";
import { openRemote } from "../../src/remote/open-remote.ts";
import type { RemoteAddress } from "../../src/remote/address/remote-address.ts";
import type { RemoteStore } from "../../src/remote/remote-store.ts";
import { casesOf } from "../support/cases.ts";
import { aKey, never, openFor, textOf, namesOf } from "../remote/a-remote.ts";

/** More than S3 and Redis tell in one answer, where all cases are made. */
const MANY = casesOf({ quick: 60, long: 1_203 });

/** What every remote promises. `makeAddress` gives one where nothing lies, each time another. */
export function remoteContract(
  name: string,
  makeAddress: () => RemoteAddress | Promise<RemoteAddress>,
): void {
  describe(`${name} keeps the promises of a remote:`, () => {
    it("an empty one has nothing, and says so of whatever it is asked for", async () => {
      const remote = await openFor("write", await makeAddress());

      expect(remote.access).toEqual({ mayWrite: true });
      expect(await remote.get(`trusted/calls/openai/${aKey("none")}.json`, never)).toBeUndefined();
      expect(await namesOf(remote, "")).toEqual([]);
      expect(await namesOf(remote, "trusted/calls/openai/ab/")).toEqual([]);
      await remote.touch(`trusted/calls/openai/${aKey("none")}.json`, never);
    });

    it("what was added comes back byte for byte, whatever its bytes are", async () => {
      const remote = await openFor("write", await makeAddress());
      const objects = [
        Buffer.alloc(0),
        Buffer.from([0, 255, 10, 13]),
        randomBytes(300_000),
        randomBytes(3_000_000),
      ];

      for (const [index, bytes] of objects.entries())
        expect(await remote.add(`trusted/blobs/${index}`, bytes, never)).toBe("added");

      for (const [index, bytes] of objects.entries()) {
        const found = await remote.get(`trusted/blobs/${index}`, never);
        expect(Buffer.compare(Buffer.from(found ?? "none"), bytes)).toBe(0);
      }
    });

    it("what stands there is never replaced", async () => {
      const remote = await openFor("write", await makeAddress());
      await remote.add("trusted/calls/a.json", Buffer.from("first"), never);

      expect(await remote.add("trusted/calls/a.json", Buffer.from("second"), never)).toBe("taken");

      expect(await textOf(remote, "trusted/calls/a.json")).toBe("first");
    });

    it("of many that add the same name at once, one does, and all see its bytes", async () => {
      const address = await makeAddress();
      const remotes = await Promise.all([1, 2, 3, 4].map(() => openFor("write", address)));
      const texts = Array.from({ length: 16 }, (_, index) => `${index}`.repeat(20_000));

      const became = await Promise.all(
        texts.map((text, index) => remotes[index % 4]!.add("trusted/calls/b.json", Buffer.from(text), never)),
      );

      expect(became.filter((result) => result === "added")).toHaveLength(1);
      const winner = texts[became.indexOf("added")];
      for (const remote of remotes) expect(await textOf(remote, "trusted/calls/b.json")).toBe(winner);
    });

    it("lists the names that begin with a prefix, and no others", async () => {
      const remote = await openFor("write", await makeAddress());
      const key = aKey("takes");
      const names = [
        `trusted/calls/openai/${key}.json`,
        `trusted/calls/openai/${key}.2.json`,
        `trusted/calls/openai/${key}.17.json`,
        `trusted/calls/openai/${aKey("another")}.json`,
        `trusted/calls/my%20own/${key}.json`,
        `untrusted/calls/openai/${key}.json`,
      ];
      for (const object of names) await remote.add(object, Buffer.from(object), never);

      expect(await namesOf(remote, "")).toEqual([...names].sort());
      expect(await namesOf(remote, "trusted/")).toEqual(names.slice(0, 5).sort());
      expect(await namesOf(remote, `trusted/calls/openai/${key}`)).toEqual(names.slice(0, 3).sort());
      expect(await namesOf(remote, "trusted/calls/my%20own/")).toEqual([names[4]]);
      expect(await namesOf(remote, "trusted/calls/nobody/")).toEqual([]);
      for (const object of names) expect(await textOf(remote, object)).toBe(object);
    });

    it("lists more names than come in one answer, each once", async () => {
      const remote = await openFor("write", await makeAddress());
      const names = Array.from(
        { length: MANY },
        (_, index) => `trusted/calls/openai/${aKey(`${index}`)}.json`,
      );
      for (let at = 0; at < names.length; at += 50)
        await Promise.all(
          names.slice(at, at + 50).map((object) => remote.add(object, Buffer.from("{}"), never)),
        );

      expect(await namesOf(remote, "trusted/")).toEqual([...names].sort());
    });

    it("opened for reading it reads, and adds nothing", async () => {
      const address = await makeAddress();
      const writer = await openFor("write", address);
      await writer.add("trusted/calls/c.json", Buffer.from("there"), never);
      const reader = await openFor("read", address);

      expect(reader.access).toEqual({ mayWrite: false, why: undefined });
      await expect(reader.add("trusted/calls/d.json", Buffer.from("x"), never)).rejects.toSatisfy(
        (error) => faultOf(error) === "wrong",
      );
      await reader.touch("trusted/calls/c.json", never);

      expect(await textOf(reader, "trusted/calls/c.json")).toBe("there");
      expect(await namesOf(writer, "")).toEqual(["trusted/calls/c.json"]);
    });

    it("what is given up ends with the reason for it, and the next call works", async () => {
      const remote = await openFor("write", await makeAddress());
      const given = new Error("given up");

      await expect(remote.get("trusted/a", AbortSignal.abort(given))).rejects.toBe(given);
      await expect(remote.add("trusted/a", Buffer.from("a"), AbortSignal.abort(given))).rejects.toBe(given);
      await expect(namesOf(remote, "", AbortSignal.abort(given))).rejects.toBe(given);
      const controller = new AbortController();
      const reading = remote.get("trusted/a", controller.signal);
      controller.abort(given);

      await expect(reading).rejects.toBe(given);
      expect(await remote.add("trusted/a", Buffer.from("a"), never)).toBe("added");
      expect(await textOf(remote, "trusted/a")).toBe("a");
    });

    it("a name that leaves its place is a mistake of whoever made it", async () => {
      const remote: RemoteStore = await openFor("write", await makeAddress());

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
        await expect(remote.get(bad, never)).rejects.toThrow("is not the name of an object");
    });

    it("many share one, and what one adds the others read", async () => {
      const address = await makeAddress();
      const one = await openFor("write", address);
      const other = await openRemote(address, { write: true, signal: never });

      await one.add("trusted/calls/e.json", Buffer.from("shared"), never);
      expect(await textOf(other, "trusted/calls/e.json")).toBe("shared");
      await other.close();

      expect(await textOf(one, "trusted/calls/e.json")).toBe("shared");
    });
  });
}
