import { afterAll, beforeAll, describe } from "vitest";
import { remoteContract } from "../contract/remote-contract.ts";
import { programOf, redisAt, startRedis, titleOf, type RunningServer } from "./servers.ts";

for (const name of ["redis-server", "valkey-server"] as const)
  describe.skipIf(programOf(name) === undefined)(`${titleOf(name)}:`, () => {
    let server: RunningServer;
    beforeAll(async () => void (server = await startRedis({ name })));
    afterAll(() => server.stop());

    remoteContract(name, () => redisAt(server.port));
  });
