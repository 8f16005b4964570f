import { afterAll, beforeAll, describe } from "vitest";
import { remoteContract } from "../contract/remote-contract.ts";
import { casesOf } from "../support/cases.ts";
import { programOf, s3At, startMoto, startVersity, titleOf, type RunningServer } from "./servers.ts";

describe.skipIf(programOf("versitygw") === undefined)(`${titleOf("versitygw")}:`, () => {
  let server: RunningServer;
  beforeAll(async () => void (server = await startVersity()));
  afterAll(() => server.stop());

  remoteContract("an S3 bucket on versitygw", () => s3At(server.port));
});

const isLong = casesOf({ quick: false, long: true });
const why = isLong ? "" : " (Python takes seconds to start: npm run remote)";

describe.skipIf(programOf("moto_server") === undefined || !isLong)(`${titleOf("moto_server")}${why}:`, () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await startMoto();
    await fetch(`http://127.0.0.1:${server.port}/team`, { method: "PUT" });
  });
  afterAll(() => server?.stop());

  remoteContract("an S3 bucket on moto", () => s3At(server.port));
});
