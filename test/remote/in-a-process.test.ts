import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { connect, createServer as createPlainServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { createServer } from "node:tls";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import type { RemoteAddress } from "../../src/remote/address/remote-address.ts";
import type { PatienceLimits } from "../../src/remote/patience.ts";
import { createAuthority } from "../../src/server/proxy/authority.ts";
import { aFolder, aLastingFolder } from "../support/a-folder.ts";
import { aScriptedS3 } from "./a-scripted-s3.ts";
import { programOf, redisAt, s3At, startRedis, titleOf } from "./servers.ts";

const { path: folder, remove } = aLastingFolder();
const program = join(folder, "open.cjs");
afterAll(remove);

/** Nothing else is said: nothing is left open. */
const UNTRUSTED = /^The remote \S+ has a certificate that this machine does not trust: .*$/;

/** Opens an address, and says what came of it. */
const PROGRAM = `
  import { openRemote } from "./src/remote/open-remote.ts";
  const { address, limits } = JSON.parse(process.argv[2]);
  openRemote(address, { write: false, signal: new AbortController().signal, limits })
    .then(async (remote) => { await remote.close(); console.log("opened"); })
    .catch((error) => console.log(error.message))
    // What is closed is gone a few turns later.
    .then(async () => { for (let turn = 0; turn < 50; turn += 1) await new Promise((go) => setImmediate(go)); })
    .then(() => {
      for (const left of process.getActiveResourcesInfo())
        if (/TCP|Timeout/.test(left)) console.log("left open: " + left);
    });`;

beforeAll(async () => {
  const stdin = { contents: PROGRAM, resolveDir: join(import.meta.dirname, "..", "..") };
  await build({ stdin, outfile: program, bundle: true, platform: "node", format: "cjs", logLevel: "silent" });
});

/** Opens an address in a process of its own, since that alone reads which authorities it trusts, and says what came of it. */
async function openedElsewhere(
  address: RemoteAddress,
  env: Readonly<Record<string, string>>,
  limits?: PatienceLimits,
): Promise<string> {
  const child = spawn(process.execPath, [program, JSON.stringify({ address, limits })], {
    env: { ...process.env, ...env },
  });
  return (await text(child.stdout)).trim();
}

/** TLS in front of a server of this machine, with a certificate for "localhost" of an authority that nobody knows. */
async function tlsBefore(port: number): Promise<{ readonly port: number; readonly authority: string }> {
  const authority = await createAuthority();
  const context = await authority.contextFor("localhost");
  const server = createServer({ SNICallback: (_, done) => done(null, context) }, (socket) => {
    const upstream = connect(port, "127.0.0.1");
    for (const end of [socket, upstream]) end.on("error", () => {});
    socket.pipe(upstream).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  onTestFinished(() => void server.close());
  const file = join(aFolder(), "authority.pem");
  writeFileSync(file, authority.certificate);
  return { port: (server.address() as AddressInfo).port, authority: file };
}

it("a certificate counts where the machine is told of its authority, and checking is not switched off by a variable", async () => {
  const { address } = await aScriptedS3(() => undefined);
  const { port, authority } = await tlsBefore(Number(new URL(address.endpoint).port));
  const secure = { ...address, endpoint: `https://localhost:${port}` };

  expect(await openedElsewhere(secure, { NODE_EXTRA_CA_CERTS: authority })).toBe("opened");
  expect(await openedElsewhere(secure, { NODE_TLS_REJECT_UNAUTHORIZED: "0" })).toMatch(UNTRUSTED);
});

it.skipIf(programOf("redis-server") === undefined)(`the same with ${titleOf("redis-server")}`, async () => {
  const server = await startRedis();
  onTestFinished(() => server.stop());
  const { port, authority } = await tlsBefore(server.port);
  const secure = redisAt(port, { tls: true, host: "localhost" });

  expect(await openedElsewhere(secure, { NODE_EXTRA_CA_CERTS: authority })).toBe("opened");
  expect(await openedElsewhere(secure, { NODE_TLS_REJECT_UNAUTHORIZED: "0" })).toMatch(UNTRUSTED);
});

it("one that nobody answers leaves nothing open that a process would wait for", async () => {
  const silent = createPlainServer({ allowHalfOpen: true }, (socket) => socket.on("error", () => {}));
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void silent.close());
  const { port } = silent.address() as AddressInfo;
  const limits = { firstMs: 100, leastMs: 100, mostMs: 100 };
  const addresses = [
    redisAt(port, { name: "it" }),
    redisAt(port, { name: "it", tls: true }),
    s3At(port, { name: "it" }),
  ];

  const texts = await Promise.all(addresses.map((address) => openedElsewhere(address, {}, limits)));

  expect(texts).toEqual([
    "The remote it did not answer within 100 ms.",
    "The remote it keeps silent.",
    "The remote it did not answer within 100 ms.",
  ]);
});
