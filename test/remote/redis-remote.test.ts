import { createServer, type AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { remoteContract } from "../contract/remote-contract.ts";
import { never, openFor } from "./a-remote.ts";
import { programOf, redisAt, startRedis, titleOf, type RunningServer } from "./servers.ts";

for (const name of ["redis-server", "valkey-server"] as const)
  describe.skipIf(programOf(name) === undefined)(`${titleOf(name)}:`, () => {
    let server: RunningServer;
    beforeAll(async () => void (server = await startRedis({ name })));
    afterAll(() => server.stop());

    remoteContract(name, () => redisAt(server.port));
  });

it("is asked at once for two objects, and whether they are there", async () => {
  const remote = await openFor("read", redisAt(await aServerThatWaitsFor(3)));

  const found = await Promise.all(["trusted/a", "trusted/b"].map((name) => remote.get(name, never)));

  expect(found).toEqual([undefined, undefined]);
});

/** A server without objects, which says nothing of them before it was asked so many things. */
async function aServerThatWaitsFor(count: number): Promise<number> {
  const server = createServer((socket) => {
    let asked = 0;
    const answers: string[] = [];
    socket.on("data", (data) => {
      for (const [command, name = ""] of commandsIn(data.toString())) {
        if (name.includes("/")) asked += 1;
        answers.push(command === "exists" ? ":0\r\n" : command === "scan" ? SCANNED : "$0\r\n\r\n");
      }
      if (asked === 0 || asked === count) socket.write(answers.splice(0).join(""));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

const SCANNED = "*2\r\n$1\r\n0\r\n*0\r\n";

/** Each command with the words after it. */
function commandsIn(text: string): readonly (readonly string[])[] {
  return text
    .split(/^\*\d+\r\n/m)
    .slice(1)
    .map((command) => command.split(/\r\n/).filter((_, index) => index % 2 === 1));
}
