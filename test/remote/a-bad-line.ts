import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** What a line does to the next answers. */
export type Fault =
  | { readonly kind: "none" }
  /** Connections are closed at once. */
  | { readonly kind: "refuse" }
  /** What is asked goes through, and nothing comes back after so many bytes. */
  | { readonly kind: "hang"; readonly after: number }
  /** The connection breaks after so many bytes of answers. */
  | { readonly kind: "cut"; readonly after: number }
  /** One byte of the answers is another. */
  | { readonly kind: "corrupt"; readonly at: number };

export interface BadLine {
  readonly port: number;
  /** From now on; connections that are open are treated so too, by bytes from now on. */
  set(fault: Fault): void;
  /** New connections are good again; those that were held up stay so. */
  letNewOnesThrough(): void;
}

/** A line to a real server on this machine that can be cut, held up and garbled. */
export async function aBadLine(to: () => number): Promise<BadLine> {
  let fault: Fault = { kind: "none" };
  let passed = 0;
  const open = new Set<Socket>();
  const heldUp = new WeakSet<Socket>();
  const server = createServer((client) => {
    if (fault.kind === "refuse") {
      client.destroy();
      return;
    }
    const upstream = connect(to(), "127.0.0.1");
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => open.delete(socket));
    }
    client.on("close", () => upstream.destroy());
    upstream.on("close", () => {
      if (fault.kind !== "hang") client.destroy();
    });
    client.on("data", (bytes) => upstream.write(bytes));
    upstream.on("data", (bytes) => {
      if (heldUp.has(client)) return;
      if (fault.kind === "hang") heldUp.add(client);
      const before = passed;
      passed += bytes.byteLength;
      pass(client, bytes, { fault, before });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return {
    port: (server.address() as AddressInfo).port,
    letNewOnesThrough() {
      fault = { kind: "none" };
    },
    set(next) {
      fault = next;
      passed = 0;
      // What was held up or broken is of no use any more.
      if (next.kind === "none" || next.kind === "refuse") for (const socket of open) socket.destroy();
    },
  };
}

function pass(
  client: Socket,
  bytes: Buffer,
  { fault, before }: { readonly fault: Fault; readonly before: number },
): void {
  if (fault.kind === "hang") {
    client.write(bytes.subarray(0, Math.max(0, fault.after - before)));
  } else if (fault.kind === "cut" && before + bytes.byteLength >= fault.after) {
    client.end(bytes.subarray(0, Math.max(0, fault.after - before)));
  } else if (fault.kind === "corrupt" && fault.at >= before && fault.at < before + bytes.byteLength) {
    const changed = Buffer.from(bytes);
    changed[fault.at - before] = (changed[fault.at - before] ?? 0) ^ 0x11;
    client.write(changed);
  } else {
    client.write(bytes);
  }
}
