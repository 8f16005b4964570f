import { once } from "node:events";
import { execFileSync } from "node:child_process";
import { lookup } from "node:dns/promises";
import { readFileSync } from "node:fs";
import { createServer, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { hostname } from "node:os";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import zlib from "node:zlib";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { OutgoingRequest } from "../../../src/core/answer/source/source.ts";
import { connect } from "../../../src/server/upstream/connect.ts";
import { isPrivate, lookUpPublic } from "../../../src/server/upstream/connect.ts";
import { aFolder } from "../../support/a-folder.ts";
import { aServer } from "../../support/a-server.ts";
import { CHAT, ZSTD_CHAT } from "../../support/zstd.ts";

afterEach(() => vi.unstubAllEnvs());

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

function asking(
  url: string,
  more: Partial<OutgoingRequest> = {},
): Promise<Awaited<ReturnType<typeof connect>>> {
  const signal = new AbortController().signal;
  return connect({
    url,
    method: "POST",
    headers: [],
    body: Buffer.from("{}"),
    signal,
    mayBePrivate: true,
    ...more,
  });
}

const machineIsLoopback = await lookup(hostname()).then(
  ({ address }) => address === "127.0.0.1",
  () => false,
);

const TEXT = `{"text":"${"häh? ".repeat(500)}"}`;

it("a reply with more headers than Node's default limit is read", async () => {
  const long = "x".repeat(7_000);
  const url = await aServer((_, response) => {
    for (let at = 0; at < 10; at += 1) response.setHeader(`x-long-${at}`, long);
    response.end(TEXT);
  });

  const { headers, body } = await asking(url);

  expect(headers.filter(([, value]) => value === long)).toHaveLength(10);
  expect(await textOf(body)).toBe(TEXT);
});

it("a call is not made again, and paid again, whose kept connection breaks off within the answer", async () => {
  let calls = 0;
  let reset = (): unknown => undefined;
  const url = await aServer(({ socket }, response) => {
    calls += 1;
    if (calls === 1) response.end("whole");
    else response.writeHead(200, { "content-length": 100 }).write("half");
    reset = () => socket.resetAndDestroy();
  });

  expect(await textOf((await asking(url)).body)).toBe("whole");
  const { status, body } = await asking(url);
  reset();

  expect(status).toBe(200);
  await expect(textOf(body)).rejects.toThrow(/aborted|ECONNRESET/u);
  expect((await asking(url)).status).toBe(200);
  expect(calls).toBe(3);
});

it("a kept connection that the upstream closed loses no call: it is sent again over another one", async () => {
  const seen: string[] = [];
  const asked = new WeakSet<Socket>();
  const url = await aServer((request, response) => {
    const { socket } = request;
    seen.push(asked.has(socket) ? "kept" : "new");
    if (asked.has(socket)) socket.destroy();
    else response.end(TEXT);
    asked.add(socket);
  });

  for (let call = 0; call < 3; call += 1) expect(await textOf((await asking(url)).body)).toBe(TEXT);

  expect(seen).toEqual(["new", "kept", "new", "kept", "new"]);
});

it("a new connection that breaks off is not tried again", async () => {
  let calls = 0;
  const url = await aServer(({ socket }) => {
    calls += 1;
    socket.destroy();
  });

  await expect(asking(url)).rejects.toThrow("socket hang up");
  expect(calls).toBe(1);
});

describe("an answer in a content encoding", () => {
  it.each([
    ["gzip", zlib.gzipSync(TEXT)],
    ["x-gzip", zlib.gzipSync(TEXT)],
    ["br", zlib.brotliCompressSync(TEXT)],
    ["deflate", zlib.deflateSync(TEXT)],
    ["deflate", zlib.deflateRawSync(TEXT)],
    ["gzip, br", zlib.brotliCompressSync(zlib.gzipSync(TEXT))],
    ["identity", Buffer.from(TEXT)],
    ["GZIP", zlib.gzipSync(TEXT)],
  ])("of %s arrives decoded", async (encoding, bytes) => {
    const url = await aServer((_, response) => {
      response.writeHead(200, { "content-encoding": encoding });
      for (let at = 0; at < bytes.length; at += 100) response.write(bytes.subarray(at, at + 100));
      response.end();
    });

    const { body } = await asking(url);

    expect(await textOf(body)).toBe(TEXT);
  });

  it("arrives event by event, as it was flushed", async () => {
    const held: { response?: ServerResponse; gzip?: zlib.Gzip } = {};
    const url = await aServer((_, response) => {
      response.writeHead(200, { "content-encoding": "gzip" });
      const gzip = zlib.createGzip();
      gzip.pipe(response);
      gzip.write("data: 1\n\n");
      gzip.flush();
      Object.assign(held, { response, gzip });
    });

    const { body } = await asking(url);
    const iterator = body[Symbol.asyncIterator]();
    const first = await iterator.next();
    held.gzip?.end("data: 2\n\n");
    const second = await iterator.next();

    expect([first, second].map(({ value }) => Buffer.from(value as Uint8Array).toString())).toEqual([
      "data: 1\n\n",
      "data: 2\n\n",
    ]);
  });

  it.each([
    ["that it is not in", "gzip", Buffer.from(TEXT), "incorrect header check"],
    ["that is cut off", "gzip", zlib.gzipSync(TEXT).subarray(0, -20), "unexpected end of file"],
  ])("%s is an error, not half an answer", async (_, encoding, bytes, reason) => {
    const url = await aServer((__, response) => {
      response.writeHead(200, { "content-encoding": encoding }).end(bytes);
    });

    const { body } = await asking(url);

    await expect(textOf(body)).rejects.toThrow(reason);
  });

  it("of two Zstandard frames arrives whole, or fails, or keeps its encoding; never as its first frame", async () => {
    const bytes = Buffer.concat([ZSTD_CHAT, ZSTD_CHAT]);
    const url = await aServer((_, response) => {
      response.writeHead(200, { "content-encoding": "zstd" }).end(bytes);
    });

    const { body, undecoded } = await asking(url);
    const text = await textOf(body).catch((error: Error) => error.message);

    expect(undecoded?.message ?? text).toSatisfy(
      (told: string) => told === CHAT + CHAT || /more than one frame|cannot decode/.test(told),
    );
  });

  it.each(["utf-8", "none"])("that names none (%s) is ignored", async (encoding) => {
    const url = await aServer((_, response) => {
      response.writeHead(200, { "content-encoding": encoding }).end(TEXT);
    });

    expect(await textOf((await asking(url)).body)).toBe(TEXT);
  });

  it("and no body at all is no error", async () => {
    const url = await aServer((_, response) => {
      response.writeHead(200, { "content-encoding": "gzip" }).end();
    });

    const { status, body } = await asking(url);

    expect([status, await textOf(body)]).toEqual([200, ""]);
  });
});

describe("a request", () => {
  it("is sent with its headers, including repeated ones, its body, and its length", async () => {
    const seen: unknown[] = [];
    const url = await aServer((request, response) => {
      const { method, headers, rawHeaders } = request;
      const tags = rawHeaders.filter((_, index) => rawHeaders[index - 1]?.toLowerCase() === "x-tag");
      request.on("data", (chunk: Buffer) =>
        seen.push(method, request.url, headers["content-length"], tags, chunk.toString()),
      );
      request.on("end", () => response.end("ok"));
    });

    const { body } = await asking(`${url}/v1/x?a=1`, {
      headers: [
        ["x-tag", "one"],
        ["x-tag", "two"],
      ],
      body: Buffer.from("äb"),
    });

    expect(await textOf(body)).toBe("ok");
    expect(seen).toEqual(["POST", "/v1/x?a=1", "3", ["one", "two"], "äb"]);
  });

  it("follows no redirect", async () => {
    let asked = 0;
    const url = await aServer((_, response) => {
      asked += 1;
      response.writeHead(307, { location: "/elsewhere" }).end();
    });

    const { status, headers } = await asking(url);

    expect([status, Object.fromEntries(headers)["location"], asked]).toEqual([307, "/elsewhere", 1]);
  });

  it("that its client abandons is not sent further", async () => {
    const controller = new AbortController();
    const closed: { at?: Promise<unknown> } = {};
    const url = await aServer((request) => {
      closed.at = once(request.socket, "close");
      controller.abort();
    });

    await expect(asking(url, { signal: controller.signal })).rejects.toThrow("aborted");

    await expect(closed.at).resolves.toBeDefined();
  });

  it("whose answer breaks off fails there", async () => {
    const url = await aServer((_, response) => {
      response.writeHead(200, { "content-length": 100 });
      response.write("half");
      setImmediate(() => response.destroy());
    });

    const { body } = await asking(url);

    await expect(textOf(body)).rejects.toThrow("aborted");
  });

  it.skipIf(!machineIsLoopback)(
    "to a name of a private address fails, unless the user named it (needs a machine whose own name is 127.0.0.1)",
    async () => {
      const url = (await aServer((_, response) => void response.end("ok"))).replace("127.0.0.1", hostname());

      const meant = await asking(url, { mayBePrivate: true });

      expect(await textOf(meant.body)).toBe("ok");
      await expect(asking(url, { mayBePrivate: false })).rejects.toThrow(
        `${hostname()} has the private address 127.0.0.1; to allow it, set the upstream with --upstream`,
      );
    },
  );

  it("to a name of several addresses fails when one of them is private", async () => {
    const outcome = await new Promise<unknown>((resolve) =>
      lookUpPublic("localhost", { all: true }, (error) => resolve(error)),
    );

    expect(outcome).toMatchObject({ message: expect.stringContaining("localhost has the private address") });
  });

  it.each([
    ["10.1.2.3", true],
    ["192.168.0.1", true],
    ["172.31.255.255", true],
    ["172.32.0.1", false],
    ["169.254.169.254", true],
    ["100.100.100.200", true],
    ["100.128.0.1", false],
    ["127.8.8.8", true],
    ["0.0.0.0", true],
    ["8.8.8.8", false],
    ["::1", true],
    ["fd00::1", true],
    ["fe80::1", true],
    ["::ffff:192.168.1.1", true],
    ["::ffff:8.8.8.8", false],
    ["2606:4700::1111", false],
  ])("knows the address %s for private: %s", (address, expected) => {
    expect(isPrivate(address)).toBe(expected);
  });
});

describe("a proxy", () => {
  async function aProxy(): Promise<{ readonly url: string; readonly asked: string[] }> {
    const asked: string[] = [];
    const server = createServer();
    server.on("connect", (request, socket) => {
      asked.push(request.url ?? "");
      socket.end("HTTP/1.1 502 No Way\r\n\r\n");
    });
    return { url: `http://127.0.0.1:${await listening(server)}`, asked };
  }

  it("of the environment is asked for a tunnel; its refusal is not an answer of the provider", async () => {
    const proxy = await aProxy();
    vi.stubEnv("HTTPS_PROXY", proxy.url);

    const reply = asking("https://api.example.test/v1/x");

    await expect(reply).rejects.toThrow("your proxy answered 502 No Way");
    // Nothing was sent, so that the call is not counted.
    await expect(reply).rejects.toMatchObject({ syscall: "connect" });
    expect(proxy.asked).toEqual(["api.example.test:443"]);
  });

  it("that cannot be reached is named as the reason", async () => {
    vi.stubEnv("HTTPS_PROXY", "http://127.0.0.1:1");

    await expect(asking("https://api.example.test/v1/x")).rejects.toThrow(
      "your proxy cannot be reached (connect ECONNREFUSED 127.0.0.1:1)",
    );
  });

  it("is not used for this machine, nor for hosts in NO_PROXY", async () => {
    const proxy = await aProxy();
    vi.stubEnv("HTTPS_PROXY", proxy.url);
    vi.stubEnv("HTTP_PROXY", proxy.url);
    vi.stubEnv("NO_PROXY", "nobody.invalid");
    const url = await aServer((_, response) => void response.end("direct"));

    const here = await asking(url);
    const named = asking("https://nobody.invalid/");

    expect(await textOf(here.body)).toBe("direct");
    await expect(named).rejects.toThrow("nobody.invalid");
    expect(proxy.asked).toEqual([]);
  });
});

const hasOpenssl = ((): boolean => {
  try {
    execFileSync("openssl", ["version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

it.skipIf(!hasOpenssl).each([undefined, "0"])(
  "an untrusted certificate is refused, with NODE_TLS_REJECT_UNAUTHORIZED at %s (needs openssl)",
  async (variable) => {
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", variable);
    const folder = aFolder();
    const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
    const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
    const make = [
      "req",
      "-x509",
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:P-256",
      "-nodes",
      "-days",
      "1",
    ];
    execFileSync("openssl", [...make, ...subject, "-keyout", key, "-out", cert], { stdio: "ignore" });
    let asked = 0;
    const server = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_, response) => {
      asked += 1;
      response.end("secret");
    });
    const port = await listening(server);

    await expect(asking(`https://localhost:${port}/`)).rejects.toThrow(
      /self-signed certificate; .*NODE_EXTRA_CA_CERTS/,
    );
    expect(asked).toBe(0);
  },
);
