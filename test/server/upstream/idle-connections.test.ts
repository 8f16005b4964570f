import { once } from "node:events";
import { Agent, createServer, get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import { leaveIdleOnes } from "../../../src/server/upstream/idle-connections.ts";

afterEach(() => {
  vi.useRealTimers();
});

async function aProvider() {
  let connections = 0;
  const server = createServer((_, response) => response.end("hello"));
  server.on("connection", () => (connections += 1));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const agent = new Agent({ keepAlive: true });
  const leaveIdle = leaveIdleOnes(agent);
  onTestFinished(() => {
    agent.destroy();
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    connections: () => connections,
    async ask() {
      leaveIdle();
      const [response] = (await once(get({ port, agent }), "response")) as [IncomingMessage];
      await response.toArray();
      // It is given back to its agent a moment after its last byte.
      await expect.poll(() => Object.keys(agent.freeSockets)).toHaveLength(1);
    },
  };
}

it.each([
  ["is used again at once", 0, 1],
  ["is used again after some seconds", 20_000, 1],
  ["is not used again after a sleep", 8 * 3_600_000, 2],
  ["is not used again where the clock was set back, which hides how long it was", -1_000, 2],
])("a connection to a provider %s", async (_, ms, connections) => {
  const provider = await aProvider();
  vi.useFakeTimers({ toFake: ["Date"] });
  await provider.ask();

  vi.setSystemTime(Date.now() + ms);
  await provider.ask();

  expect(provider.connections()).toBe(connections);
});
