import { createServer } from "node:net";
import { networkInterfaces } from "node:os";

/** A provider as far as anybody can tell: another address than 127.0.0.1, over TLS, which it breaks off. */
export interface PaidUpstream {
  /** Undefined where the machine has no other address. */
  readonly origin: string | undefined;
  connections(): number;
  close(): Promise<void>;
}

/** An address of this machine at which others could reach it. */
export function addressElsewhere(): string | undefined {
  const all = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
  return all.find(({ family, internal }) => family === "IPv4" && !internal)?.address;
}

export async function aPaidUpstream(): Promise<PaidUpstream> {
  const host = addressElsewhere();
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on("error", () => {});
    socket.destroy();
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, host ?? "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    });
  });
  return {
    origin: host === undefined ? undefined : `https://${host}:${port}`,
    connections: () => connections,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
