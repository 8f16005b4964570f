import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** A server on a free port of 127.0.0.1 for the time of the test; gives its origin. `prepare` may add listeners. */
export async function aServer(
  listener: RequestListener,
  prepare?: (server: Server) => void,
): Promise<string> {
  const server: Server = createServer(listener);
  prepare?.(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A server of one answer to requests for a WebSocket. */
export const anUpgradingServer = (answer: (key: string) => string): Promise<string> =>
  aServer(
    () => {},
    (server) =>
      server.on("upgrade", ({ headers }, socket) => socket.end(answer(String(headers["sec-websocket-key"])))),
  );
