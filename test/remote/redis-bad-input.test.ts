import { createServer as createHttpServer } from "node:http";
import { connect } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { explain } from "../../src/core/errors.ts";
import type { RedisAddress } from "../../src/remote/address/remote-address.ts";
import { faultOf } from "../../src/remote/failures.ts";
import { openRemote } from "../../src/remote/open-remote.ts";
import type { PatienceLimits } from "../../src/remote/patience.ts";
import { createAuthority } from "../../src/server/proxy/authority.ts";
import { listening } from "./a-listener.ts";
import { never, openFor, textOf } from "./a-remote.ts";
import { programOf, redisAt, startRedis, titleOf, type RunningServer } from "./servers.ts";

/** What is said where it cannot be opened, with its fault before it. */
const said = (address: RedisAddress, limits?: PatienceLimits): Promise<string> =>
  openRemote(address, { write: true, signal: never, ...(limits !== undefined && { limits }) }).then(
    (remote) => remote.close().then(() => "it was opened"),
    (error: unknown) => `${faultOf(error)}: ${explain(error).replace(/127\.0\.0\.1:\d+/, "here")}`,
  );

const USERS = [
  "--user default on >secret ~* &* +@all",
  "--user writer on >secret ~tapedeck:* +getrange +strlen +exists +scan +set +expire",
  "--user reader on >secret ~tapedeck:* +getrange +strlen +exists +scan",
  "--user nobody on >secret ~tapedeck:* +get",
].flatMap((text) => text.split(" "));

describe.skipIf(programOf("redis-server") === undefined)(`${titleOf("redis-server")}, asked wrongly:`, () => {
  let server: RunningServer;
  beforeAll(async () => void (server = await startRedis({ extra: USERS })));
  afterAll(() => server?.stop());
  const as = (user: string | undefined, password: string | undefined): RedisAddress =>
    redisAt(server.port, { user, password });

  it("without a password, with a wrong one, and as nobody that it knows", async () => {
    expect(await said(as(undefined, undefined))).toMatch(
      /^wrong: The remote redis:\/\/here\/0 asks for a password\. Check TAPEDECK_REMOTE_USER/,
    );
    for (const [user, password] of [
      [undefined, "guess-1"],
      ["writer", "guess-2"],
      ["stranger", "secret"],
    ]) {
      const text = await said(as(user, password));
      expect(text).toContain("wrong: The remote redis://here/0 does not know this user or password.");
      expect(text).not.toContain(`${password} `);
    }
  });

  it("with the rights that it takes and no more it works, in the keys of its prefix", async () => {
    const remote = await openFor("write", { ...as("writer", "secret"), expireSeconds: 3_600 });
    const large = Buffer.alloc(2_500_000, "x");

    expect(await remote.add("trusted/a", large, never)).toBe("added");
    await remote.touch("trusted/a", never);
    expect(await remote.get("trusted/a", never)).toHaveLength(large.byteLength);
    expect(await said({ ...as("writer", "secret"), prefix: "elsewhere:" })).toContain(
      "does not give this user the rights that are needed. Reading takes GETRANGE, STRLEN, EXISTS and SCAN",
    );
  });

  it("as a user that only reads, which is noticed at the start", async () => {
    const { prefix } = as("writer", "secret");
    const writer = await openFor("write", { ...as("writer", "secret"), prefix });
    await writer.add("trusted/a", Buffer.from("a"), never);

    const remote = await openFor("write", { ...as("reader", "secret"), prefix });

    expect(remote.access).toEqual({ mayWrite: false, why: "its user may not set keys of the prefix" });
    expect(await textOf(remote, "trusted/a")).toBe("a");
    await expect(remote.add("trusted/b", Buffer.from("b"), never)).rejects.toThrow(
      "may not set keys of the prefix",
    );
  });

  it("as a user without the right to read", async () => {
    expect(await said(as("nobody", "secret"))).toContain(
      "wrong: The remote redis://here/0 does not give this user the rights",
    );
  });

  it("in a database that it does not have", async () => {
    expect(await said({ ...as(undefined, "secret"), database: 99 })).toContain(
      "has no database of that number. Name another one",
    );
    expect(await said({ ...as(undefined, "secret"), database: 15 })).toBe("it was opened");
  });

  it("with TLS where it speaks none, and without where it speaks TLS", async () => {
    const limits = { firstMs: 150, leastMs: 150, mostMs: 150 };
    const tls = await listening(createTlsServer(() => {}));

    expect(await said({ ...as(undefined, "secret"), tls: true }, limits)).toBe(
      "slow: The remote redis://here/0 keeps silent. Check host and port. Where it speaks no TLS, write redis:// for rediss://.",
    );
    expect(await said(redisAt(tls))).toBe(
      "down: The remote redis://here/0 closed the connection at once. Check host and port. Where it speaks TLS, write rediss:// for redis://.",
    );
  });

  it("with a certificate that nobody trusts", async () => {
    const authority = await createAuthority();
    const context = await authority.contextFor("localhost");
    const port = await listening(
      createTlsServer({ SNICallback: (_, done) => done(null, context) }, (socket) =>
        socket.pipe(connect(server.port, "127.0.0.1")).pipe(socket),
      ),
    );

    const text = await said(redisAt(port, { tls: true, password: "secret", host: "localhost" }));

    expect(text).toContain(
      "wrong: The remote redis://here/0 has a certificate that this machine does not trust: ",
    );
  });

  it("where another keeps a list under an object's name", async () => {
    const remote = await openFor("write", as(undefined, "secret"));
    const { prefix } = as(undefined, "secret");
    const other = await openFor("write", { ...as(undefined, "secret"), prefix });
    const { Redis } = await import("ioredis");
    const redis = new Redis({ port: server.port, password: "secret" });
    await redis.lpush(`${prefix}trusted/a`, "x");
    await redis.quit();

    const failure: unknown = await other.get("trusted/a", never).catch((error: unknown) => error);

    expect(faultOf(failure)).toBe("object");
    expect(explain(failure)).toContain(`has something else than a string at ${prefix}trusted/a.`);
    expect(await remote.get("trusted/a", never)).toBeUndefined();
  });
});

describe.skipIf(programOf("redis-server") === undefined)(`${titleOf("redis-server")} in trouble:`, () => {
  it("that is full takes no more, says so, and is read on", async () => {
    const server = await startRedis({ extra: ["--maxmemory", "6mb", "--maxmemory-policy", "noeviction"] });
    onTestFinished(() => server.stop());
    const remote = await openFor("write", redisAt(server.port));
    const failures: unknown[] = [];
    for (let index = 0; index < 20 && failures.length === 0; index += 1)
      await remote
        .add(`trusted/${index}`, Buffer.alloc(500_000), never)
        .catch((error: unknown) => failures.push(error));

    expect(failures.map(faultOf)).toEqual(["full"]);
    expect(explain(failures[0])).toMatch(
      /takes no more: OOM command not allowed.*What is local is used meanwhile/,
    );
    expect(await remote.get("trusted/0", never)).toHaveLength(500_000);
    expect((await openFor("write", redisAt(server.port))).access).toEqual({ mayWrite: true });
  });

  it("that was killed is down, and used again once it is up", async () => {
    const first = await startRedis();
    const address = redisAt(first.port);
    const remote = await openFor("write", address);
    await remote.add("trusted/a", Buffer.from("a"), never);
    await first.stop();

    expect(await remote.get("trusted/a", never).catch(faultOf)).toBe("down");
    expect(await said(address)).toMatch(
      /^down: The remote redis:\/\/here\/0 could not be reached: connect ECONNREFUSED/,
    );

    const second = await startRedis({ port: first.port });
    onTestFinished(() => second.stop());
    expect(await remote.get("trusted/a", never)).toBeUndefined();
    expect(await remote.add("trusted/a", Buffer.from("again"), never)).toBe("added");
  });

  it("that is a replica is only read from", async () => {
    const primary = await startRedis();
    const replica = await startRedis({ extra: ["--replicaof", "127.0.0.1", String(primary.port)] });
    onTestFinished(() => primary.stop());
    onTestFinished(() => replica.stop());
    await expect.poll(() => said(redisAt(replica.port))).toBe("it was opened");

    const remote = await openFor("write", redisAt(replica.port));

    expect(remote.access).toEqual({ mayWrite: false, why: "it is a replica" });
  });

  it("lets an object go when nobody read it, and renews it when somebody did", async () => {
    const server = await startRedis();
    onTestFinished(() => server.stop());
    const address = redisAt(server.port, { expireSeconds: 100 });
    const remote = await openFor("write", address);
    await remote.add("trusted/a", Buffer.from("a"), never);
    const { Redis } = await import("ioredis");
    const redis = new Redis({ port: server.port });
    onTestFinished(() => redis.disconnect());
    expect(await redis.ttl(`${address.prefix}trusted/a`)).toBeGreaterThan(90);
    await redis.expire(`${address.prefix}trusted/a`, 5);

    await remote.touch("trusted/a", never);

    expect(await redis.ttl(`${address.prefix}trusted/a`)).toBeGreaterThan(90);
  });
});

it("something else that listens is not taken for Redis", async () => {
  const port = await listening(createHttpServer((_, response) => void response.end("hello")));

  expect(await said(redisAt(port))).toBe(
    "wrong: The remote redis://here/0 does not answer as Redis does. Check host and port: something else listens there.",
  );
});
