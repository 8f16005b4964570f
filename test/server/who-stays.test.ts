import { once } from "node:events";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { aListeningServer, drip } from "./a-listening-server.ts";

const patience = { headMs: 200, requestMs: 400, checkMs: 20 };

/** The server's own end of the next connection to it. */
function theServersEnd(port: number): Promise<Socket> {
  return new Promise((resolve) => {
    const heard = (message: unknown): void => {
      const { socket } = message as { readonly socket: Socket };
      if (socket.localPort === port) resolve(socket);
    };
    subscribe("net.server.socket", heard);
    onTestFinished(() => void unsubscribe("net.server.socket", heard));
  });
}

describe("a client that was cut off", () => {
  it.each([
    ["sent nothing", "408", () => ""],
    ["sent half a head", "408", () => "POST /x HTTP/1.1\r\n"],
    ["sent no more than blank lines", "408", () => "\r\n\r\n"],
    ["sent half a body", "408", (head: string) => `${head}content-length: 100000\r\n\r\n{`],
    ["sent half a chunk", "408", (head: string) => `${head}transfer-encoding: chunked\r\n\r\nff\r\n{`],
    ["speaks something else", "400", () => "HELO there\r\n\r\n"],
    [
      "sent trailers without end",
      "431",
      (head: string) =>
        `${head}transfer-encoding: chunked\r\n\r\n0\r\n${`x-t: ${"1".repeat(500)}\r\n`.repeat(100)}`,
    ],
    [
      "asks for a tunnel",
      "400",
      () => "CONNECT api.openai.com:443 HTTP/1.1\r\nhost: api.openai.com:443\r\n\r\n",
    ],
  ])("because it %s has no connection left, although it keeps its own end", async (_, status, bytes) => {
    const { server, open, head } = await aListeningServer({ patience });
    const serversEnd = theServersEnd(server.port);
    const { told } = await open(bytes(head()));
    const closed = once(await serversEnd, "close");

    expect(await told).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [^]*\r\nx-tapedeck-outcome: refused\r\n`));

    await closed;
  });

  it("because it speaks TLS is sent an alert of TLS", async () => {
    const { server, open } = await aListeningServer({ patience });
    const serversEnd = theServersEnd(server.port);
    const { told } = await open("\x16\x03\x01\x02\0\x01\0\x01\xfc");
    const closed = once(await serversEnd, "close");

    expect(await told).toBe("\x15\x03\x03\0\x02\x02\x28");

    await closed;
  });

  it.each([
    ["its head", () => "POST /x HTTP/1.1\r\n", "x: 1\r\n"],
    ["its body", (head: string) => `${head}content-length: 100000\r\n\r\n{`, " "],
    ["noise", () => "HELO\r\n\r\n", "noise"],
    ["a tunnel", () => "CONNECT x:443 HTTP/1.1\r\nhost: x:443\r\n\r\n", "noise"],
  ])("and goes on with %s is soon disconnected", async (_, bytes, more) => {
    const { open, head } = await aListeningServer({ patience });
    const { socket, told, closed } = await open(bytes(head()));
    drip(socket, more);

    expect(await told).toMatch(/^HTTP\/1\.1 40[08] /);

    await closed;
  });

  it("makes no call with anything it sends afterwards", async () => {
    const { open, head, engine, server } = await aListeningServer({ patience });
    const { socket, told } = await open(head("content-length: 2").slice(0, -2));
    await told;

    socket.write("\r\n\r\n{}");
    const whole = await open(`${head("content-length: 2")}\r\n{}`);
    await whole.next();

    expect(server.requests).toBe(1);
    expect(engine.events).toHaveLength(1);
  });
});

it("a client without a token that waits for 100 Continue is refused before its body", async () => {
  const { open, server } = await aListeningServer();
  const lines = ["POST /wrong/openai/v1/x HTTP/1.1", `host: 127.0.0.1:${server.port}`];
  const { told } = await open(
    [...lines, "content-length: 100000", "expect: 100-continue", "", ""].join("\r\n"),
  );

  expect(await told).toMatch(/^HTTP\/1\.1 403 /);
});
