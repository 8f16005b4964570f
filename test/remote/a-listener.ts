import type { AddressInfo, Server } from "node:net";
import { onTestFinished } from "vitest";

/** The port where a server listens until the test ends. */
export async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}
