import { chmodSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { explain } from "../../src/core/base/errors.ts";
import type { TeamAddress } from "../../src/remote/address.ts";
import { readOfferedFault } from "../../src/remote/failures.ts";
import { openObjectStore } from "../../src/remote/object-store.ts";
import { objectStoreContract } from "../contract/object-store-contract.ts";
import { aFolder } from "../support/a-folder.ts";
import { listening } from "./a-listener.ts";
import { aScriptedS3, type ScriptedReply } from "./a-scripted-s3.ts";
import {
  programOf,
  redisAt,
  s3At,
  startMoto,
  startRedis,
  startVersity,
  titleOf,
  type RunningServer,
} from "./servers.ts";

const folderAt = (dir: string): TeamAddress => ({ type: "folder", name: dir, dir });

objectStoreContract("a shared folder", () => folderAt(aFolder()));
objectStoreContract("a bucket", async () => (await aScriptedS3()).address);

const SERVERS = [
  { name: "redis-server", start: () => startRedis(), at: redisAt },
  { name: "valkey-server", start: () => startRedis({ name: "valkey-server" }), at: redisAt },
  { name: "versitygw", start: () => startVersity(), at: s3At },
  { name: "moto_server", start: () => startMoto(), at: s3At },
] as const;

for (const { name, start, at } of SERVERS)
  describe.skipIf(programOf(name) === undefined)(`over ${titleOf(name)}`, () => {
    let server: RunningServer;
    beforeAll(async () => {
      server = await start();
      if (name === "moto_server") await fetch(`http://127.0.0.1:${server.port}/team`, { method: "PUT" });
    });
    afterAll(() => server.stop());
    objectStoreContract(name, () => at(server.port));

    it("refuses operations that its credentials do not allow, and reports that", async () => {
      const address = at(server.port);
      if (name === "moto_server") return; // takes any credentials
      const wrong: TeamAddress =
        address.type === "redis"
          ? { ...address, user: "nobody", password: "wrong" }
          : { ...address, credentials: { ...address.credentials, secretAccessKey: "wrong" } };

      const { text, fault } = await failureAt(wrong);

      expect(text).toContain("refused access");
      expect(fault).toBe("wrong");
    });
  });

describe.skipIf(programOf("redis-server") === undefined)(
  `with a password, ${titleOf("redis-server")}`,
  () => {
    let server: RunningServer;
    beforeAll(async () => {
      const user = ["--user", "reader", "on", ">of reader", "~tapedeck:*", "+get", "+scan", "+select"];
      server = await startRedis({ extra: ["--requirepass", "of all", ...user] });
    });
    afterAll(() => server.stop());

    it.each([
      ["the password alone", undefined, "of all"],
      ["a user with the documented permissions", "reader", "of reader"],
    ])("is read with %s", async (_, user, password) => {
      const store = await openObjectStore(redisAt(server.port, { user, password }));
      onTestFinished(() => store.close());

      expect([await store.get("calls/a.takes"), await store.list("calls/")]).toEqual([undefined, []]);
    });

    it("refuses access without it", async () => {
      expect(await failureAt(redisAt(server.port))).toMatchObject({ fault: "wrong" });
    });
  },
);

const QUICK = { readMs: 200, writeMs: 200 };

/** The failure of reading an object. */
async function failureAt(address: TeamAddress) {
  const store = await openObjectStore(address, address.name === "silent" ? QUICK : undefined);
  try {
    await store.get("calls/a.takes");
  } catch (error) {
    return { text: explain(error), fault: readOfferedFault(error) };
  } finally {
    await store.close();
  }
  throw new Error("nothing failed");
}

describe("a cache that fails reports the problem, and what to do:", () => {
  it("a folder that is not there", async () => {
    const dir = aFolder();
    rmSync(dir, { recursive: true });

    expect(await failureAt(folderAt(dir))).toEqual({
      text: `The team cache ${dir} cannot be used: it does not exist. Mount the drive, create the folder, or choose another folder.`,
      fault: "wrong",
    });
  });

  it("a link in the place of an object, which is not followed", async () => {
    const dir = aFolder();
    mkdirSync(join(dir, "calls"));
    symlinkSync("/etc/hostname", join(dir, "calls/a.takes"));

    expect(await failureAt(folderAt(dir))).toMatchObject({ fault: "object" });
  });

  it.skipIf(process.getuid?.() === 0)("a folder that may not be read (needs to be no root)", async () => {
    const dir = aFolder();
    mkdirSync(join(dir, "calls"));
    chmodSync(join(dir, "calls"), 0);

    expect(await failureAt(folderAt(dir))).toMatchObject({ fault: "wrong" });
    chmodSync(join(dir, "calls"), 0o700);
  });

  it.each<[string, ScriptedReply, string, string]>([
    ["denied", { status: 403, code: "AccessDenied" }, "refused access: it answered with status 403", "wrong"],
    [
      "a wrong clock",
      { status: 403, code: "RequestTimeTooSkewed" },
      "correct the clock of this machine",
      "wrong",
    ],
    ["no bucket", { status: 404, code: "NoSuchBucket" }, "NoSuchBucket", "wrong"],
    [
      "another region",
      { status: 301, body: "<Region>eu-central-1</Region>" },
      "Set region=eu-central-1",
      "wrong",
    ],
    ["down", { status: 503, code: "SlowDown" }, "could not be reached: it answered with status 503", "down"],
    ["no S3", { status: 418 }, "cannot be used: it answered with status 418", "wrong"],
  ])("a bucket that is %s", async (_, reply, words, fault) => {
    const { address, requests } = await aScriptedS3(() => reply);

    const failure = await failureAt(address);

    expect(failure.text).toContain(words);
    expect(failure.fault).toBe(fault);
    expect(requests).toHaveLength(reply.status === 503 ? 3 : 1);
  });

  it("a bucket that is busy for a moment is asked again", async () => {
    let busy = 1;
    const { address } = await aScriptedS3(() => (busy-- > 0 ? { status: 503, code: "SlowDown" } : undefined));
    const store = await openObjectStore(address);

    expect(await store.get("calls/a.takes")).toBeUndefined();
    await store.close();
  });

  it.each(["redis", "s3"] as const)("a %s server that is silent, within its time limit", async (type) => {
    const port = await listening(createServer((socket) => socket.on("error", () => {})));
    const address = type === "redis" ? redisAt(port) : s3At(port);

    const failure = await failureAt({ ...address, name: "silent" });

    expect(failure.text).toContain("The team cache silent could not be reached: no response within 200 ms.");
    expect(failure.fault).toBe("down");
  });

  it.each(["redis", "s3"] as const)("a %s server that is gone", async (type) => {
    const port = await listening(createServer((socket) => socket.destroy()));

    expect(await failureAt(type === "redis" ? redisAt(port) : s3At(port))).toMatchObject({ fault: "down" });
  });

  it("a server that is not Redis", async () => {
    const port = await listening(
      createServer((socket) => socket.on("error", () => {}).end("HTTP/1.1 400 Bad\r\n\r\n")),
    );

    expect((await failureAt(redisAt(port))).fault).toMatch(/wrong|down/);
  });
});
