import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { Call, TestRef } from "../../../src/core/call/call.ts";
import { addUsage } from "../../../src/storage/local/usage-file.ts";
import { aRun, anEngine, chatCall, chatReply, recordCall } from "../../support/an-engine.ts";
import { madeUpSecrets } from "../../support/made-up-secrets.ts";
import { secretsThat } from "../../support/secrets-that.ts";

const TOKEN = madeUpSecrets()["GitHub token"] ?? "";
const TITLE = `rejects ${TOKEN}`;
const TEST: TestRef = {
  file: "a.test.ts",
  name: ["login", TITLE],
  joined: `login ${TITLE}`,
  runner: "vitest",
};

const dir = mkdtempSync(join(tmpdir(), "tapedeck-titles-"));
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe("a secret in the title of a test", () => {
  it("is neither written nor reported when the project redacts, and the call is recorded", async () => {
    const under = anEngine(() => chatReply("Fine."), { secrets: await secretsThat("redact") });

    const { outcome, recording } = await recordCall(
      under,
      chatCall(aRun("record"), "Go", {}, { test: TEST }),
    );

    expect(outcome).toBe("recorded");
    expect(recording?.test?.name).toEqual(["login", "rejects [redacted: GitHub token]"]);
    expect(JSON.stringify([recording?.test, under.events])).not.toContain(TOKEN);
  });

  it("keeps the members of a call that are getters of its class, as a server's are", async () => {
    const { redactTitles } = await secretsThat("redact");
    const call = chatCall(aRun("record"), "Go", {}, { test: TEST });
    class SocketCall {
      get headers(): Call["headers"] {
        return call.headers;
      }
    }
    const { headers: _, ...members } = call;
    const sent = Object.assign(new SocketCall(), members);

    const redacted = await redactTitles(sent);

    expect(redacted.test?.name).toEqual(["login", "rejects [redacted: GitHub token]"]);
    expect(redacted.headers).toEqual(call.headers);
  });

  it("is not in the usage of recordings, whatever the project's setting", async () => {
    mkdirSync(dir, { recursive: true });
    const uses = [{ entry: "calls/openai/a.json", at: 1 }];
    const { file, name } = TEST;
    const part = { test: { file, name, id: `a.test.ts::${TITLE}` }, isWhole: true, uses, callers: [] };

    await addUsage(dir, [{ run: { id: "r", at: 1 }, isWhole: true, entries: new Map(), tests: [part] }]);

    const written = readFileSync(join(dir, ".local/usage.json"), "utf8");
    expect(written).toContain("rejects [redacted: GitHub token]");
    expect(written).not.toContain(TOKEN);
  });
});
