import { createHash } from "node:crypto";
import { createServer as createHttp } from "node:http";
import { createServer as createTls, connect as connectTls, type TLSSocket } from "node:tls";
import { connect, type AddressInfo, type Socket } from "node:net";
import { once } from "node:events";
import { describe, expect, it, onTestFinished } from "vitest";
import { createProviders } from "../../src/core/protocol/registry.ts";
import { createAuthority } from "../../src/server/proxy/authority.ts";
import { listenAsProxy, type Proxy, type ProxyOptions } from "../../src/server/proxy/proxy.ts";
import { aServer } from "../support/a-server.ts";
import { anEngine } from "../support/an-engine.ts";
import { aListeningServer, chatTo, TOKEN } from "./a-listening-server.ts";

const providers = createProviders();

async function aProxy(options: Partial<ProxyOptions> = {}) {
  const engine = anEngine();
  const server = await aListeningServer({ providers }, engine);
  const notices: string[] = [];
  const proxy = await listenAsProxy({
    port: () => server.server.port,
    token: TOKEN,
    providers: () => providers,
    next: () => undefined,
    onNotice: (message) => notices.push(message),
    ...options,
  });
  onTestFinished(() => proxy.close());
  return { ...server, engine, proxy, notices };
}

const basic = (user: string): string => `Basic ${Buffer.from(user).toString("base64")}`;

/** Asks a proxy for a tunnel; gives the connection and the head of its answer. */
async function tunnelTo(
  { port }: Pick<Proxy, "port">,
  place: string,
  authorization: string | undefined = basic(`tapedeck:${TOKEN}`),
): Promise<{ socket: Socket; head: string }> {
  const socket = connect({ host: "127.0.0.1", port });
  onTestFinished(() => void socket.destroy());
  const named = authorization === undefined ? "" : `Proxy-Authorization: ${authorization}\r\n`;
  socket.write(`CONNECT ${place} HTTP/1.1\r\nHost: ${place}\r\n${named}\r\n`);
  const [head] = (await once(socket, "data")) as [Buffer];
  return { socket, head: head.toString() };
}

async function trusting(socket: Socket, servername: string, ca: string): Promise<TLSSocket> {
  const secure = connectTls({ socket, servername, ca, ALPNProtocols: ["http/1.1"] });
  await once(secure, "secureConnect");
  return secure;
}

async function said(socket: Socket, text: string): Promise<string> {
  socket.write(text);
  let answer = "";
  for await (const piece of socket) answer += String(piece);
  return answer;
}

describe("a proxy for the processes of a run", () => {
  it("answers calls to a provider like the same call through its variable", async () => {
    const { proxy, chat, engine } = await aProxy();
    await chat();
    const { socket, head } = await tunnelTo(proxy, "api.openai.com:443");

    const secure = await trusting(socket, "api.openai.com", proxy.certificate);
    const answer = await said(secure, chatTo("api.openai.com", undefined, "connection: close"));

    expect(head).toMatch(/^HTTP\/1\.1 200 /);
    expect(secure.authorized).toBe(true);
    expect(answer).toContain("x-tapedeck-outcome: recorded");
    const [variable, proxied] = engine.events;
    expect(proxied?.key).toBe(variable?.key);
  });

  it("passes the bytes of all other hosts on unread, through the proxy that the user has", async () => {
    const authority = await createAuthority();
    const context = await authority.contextFor("localhost");
    const elsewhere = createTls({ SNICallback: (_, done) => done(null, context) }, (secure) =>
      secure.end("elsewhere"),
    );
    elsewhere.listen(0, "127.0.0.1");
    await once(elsewhere, "listening");
    onTestFinished(() => void elsewhere.close());
    const { port } = elsewhere.address() as AddressInfo;
    const asked: string[] = [];
    const users = createHttp().on("connect", (request, socket: Socket) => {
      asked.push(`${request.method} ${request.url} ${request.headers["proxy-authorization"]}`);
      const onward = connect({ host: "127.0.0.1", port });
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      socket.pipe(onward).pipe(socket);
    });
    users.listen(0, "127.0.0.1");
    await once(users, "listening");
    onTestFinished(() => void users.close());
    const next = `http://me:secret@127.0.0.1:${(users.address() as AddressInfo).port}`;

    for (const through of [undefined, next]) {
      const { proxy } = await aProxy({ next: () => through });
      const { socket } = await tunnelTo(proxy, `localhost:${port}`);
      // The certificate is the host's own, not the proxy's.
      const secure = await trusting(socket, "localhost", authority.certificate);
      expect(await said(secure, "hello")).toBe("elsewhere");
    }
    expect(asked).toEqual([`CONNECT localhost:${port} ${basic("me:secret")}`]);
  });

  it("forwards plain HTTP without the headers for the proxy", async () => {
    const seen: (string | undefined)[] = [];
    const origin = await aServer((request, response) => {
      seen.push(request.url, request.headers["proxy-authorization"]);
      response.end("plain");
    });
    const { proxy } = await aProxy();
    const socket = connect({ host: "127.0.0.1", port: proxy.port });

    const answer = await said(
      socket,
      `GET ${origin}/path?a=1 HTTP/1.1\r\nHost: ${new URL(origin).host}\r\nProxy-Authorization: ${basic(`tapedeck:${TOKEN}`)}\r\nConnection: close\r\n\r\n`,
    );

    expect(answer).toMatch(/^HTTP\/1\.1 200 OK/);
    expect(answer).toContain("plain");
    expect(seen).toEqual(["/path?a=1", undefined]);
  });

  it("refuses every request with another token", async () => {
    const { proxy } = await aProxy();

    const { head } = await tunnelTo(proxy, "api.openai.com:443", basic("tapedeck:wrong"));
    const socket = connect({ host: "127.0.0.1", port: proxy.port });
    const plain = await said(
      socket,
      `GET http://example.org/ HTTP/1.1\r\nHost: example.org\r\nProxy-Authorization: ${basic("x:y")}\r\nConnection: close\r\n\r\n`,
    );

    expect(head).toMatch(/^HTTP\/1\.1 407 /);
    expect(plain).toMatch(/^HTTP\/1\.1 407 /);
  });

  it.runIf(process.platform === "linux")(
    "accepts a process of the same user without a token, as Java's are (needs Linux, which reports the user of a process)",
    async () => {
      const { proxy } = await aProxy();

      const { head } = await tunnelTo(proxy, "api.openai.com:443", undefined);

      expect(head).toMatch(process.getuid?.() === undefined ? /407/ : /^HTTP\/1\.1 200 /);
    },
  );

  it("reports once the host for which a client does not trust it, and goes on", async () => {
    const { proxy, notices } = await aProxy();
    const { certificate: another } = await createAuthority();
    for (let time = 0; time < 2; time += 1) {
      const { socket } = await tunnelTo(proxy, "api.openai.com:443");
      const refused = await trusting(socket, "api.openai.com", another).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(Error);
      socket.destroy();
    }
    await expect.poll(() => notices.length).toBe(1);

    expect(notices[0]).toContain("certificate for api.openai.com");
    const { head } = await tunnelTo(proxy, "api.openai.com:443");
    expect(head).toMatch(/^HTTP\/1\.1 200 /);
  });

  it.each(["before", "after"])(
    "does not blame a client that closes a spare connection %s it uses another one",
    async (when) => {
      const { proxy, notices } = await aProxy();
      const connection = async (): Promise<TLSSocket> => {
        const { socket } = await tunnelTo(proxy, "api.openai.com:443");
        return trusting(socket, "api.openai.com", proxy.certificate);
      };
      const closed = async (socket: TLSSocket): Promise<unknown> => once(socket.end().resume(), "close");
      const ask = async (socket: TLSSocket): Promise<string> =>
        said(socket, "GET /v1/models HTTP/1.1\r\nHost: api.openai.com\r\nConnection: close\r\n\r\n");
      const [used, spare] = [await connection(), await connection()];

      if (when === "before") await closed(spare);
      const answer = await ask(used);
      if (when === "after") await closed(spare);

      expect(answer).toMatch(/^HTTP\/1\.1 /);
      await proxy.close();
      expect(notices).toEqual([]);
    },
  );

  it("reports an unreachable host, and refuses requests for an origin server", async () => {
    const { proxy } = await aProxy();
    const socket = connect({ host: "127.0.0.1", port: proxy.port });

    const { head } = await tunnelTo(proxy, "127.0.0.1:1");
    const direct = await said(
      socket,
      `GET / HTTP/1.1\r\nHost: here\r\nProxy-Authorization: ${basic(`tapedeck:${TOKEN}`)}\r\nConnection: close\r\n\r\n`,
    );

    expect(head).toMatch(/^HTTP\/1\.1 502 /);
    expect(direct).toContain("This is a proxy.");
  });

  it("has a new authority each time and nothing of its key", async () => {
    const [one, other] = [await createAuthority(), await createAuthority()];
    const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

    expect(digest(one.certificate)).not.toBe(digest(other.certificate));
    expect(one.certificate).not.toContain("PRIVATE KEY");
    expect(Object.values(one).filter((value) => typeof value === "string")).toEqual([one.certificate]);
  });
});
