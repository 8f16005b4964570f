import * as vscode from "vscode";
import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Session } from "../../../src/editor/session/session.ts";
import type { SessionRun } from "../../../src/editor/session/session-runs.ts";
import { eventually } from "../support/eventually.ts";
import { askAt, theSession, untilReady } from "../support/session.ts";

const MINE = '{ "written": "by hand, and not finished yet"';

/** A provider that answers when the test releases it. */
interface SlowProvider {
  readonly server: Server;
  readonly origin: string;
  meanwhile: () => void;
}

async function aSlowProvider(): Promise<SlowProvider> {
  let answers = 0;
  const provider = { meanwhile: () => {}, server: createServer(), origin: "" };
  provider.server.on("request", (request, response) => {
    request.resume().on("end", () => {
      provider.meanwhile();
      const message = { role: "assistant", content: `Answer ${++answers}.` };
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: "stop" }] }));
    });
  });
  await new Promise<void>((resolve) => provider.server.listen(0, "127.0.0.1", resolve));
  provider.origin = `http://127.0.0.1:${(provider.server.address() as AddressInfo).port}`;
  return provider;
}

describe("a recording that is edited while its call is refreshed", () => {
  const prompt = `edited meanwhile ${Date.now()}`;
  const settings = () => vscode.workspace.getConfiguration("tapedeck");
  const upstreams = settings().inspect("upstreams")?.globalValue;
  let session: Session;
  let provider: SlowProvider;
  before(async () => {
    session = await theSession();
    await untilReady(session);
    provider = await aSlowProvider();
    await settings().update("upstreams", { openai: provider.origin }, vscode.ConfigurationTarget.Global);
    await eventually("its address is known", () => {
      return session.deck.providers.get("openai")?.upstream === provider.origin;
    });
    await untilReady(session);
  });
  after(async () => {
    await settings().update("upstreams", upstreams, vscode.ConfigurationTarget.Global);
    await eventually("the address is as before", () => {
      return session.deck.providers.get("openai")?.upstream !== provider.origin;
    });
    await untilReady(session);
    provider.server.close();
    provider.server.closeAllConnections();
  });

  async function asked(run: SessionRun): Promise<SessionRun["events"]> {
    await (await askAt(run.environment["TAPEDECK_URL"] ?? "", prompt)).text();
    await eventually("the call has ended", () => run.events.length > 0);
    run.end();
    return run.events;
  }

  it("keeps what was written by hand", async () => {
    const [recorded] = await asked(await session.connection.startRun({ mode: "record" }));
    assert.ok(recorded?.entry);
    await session.recordings.accept([recorded.entry]);
    const file = join(session.deck.dir, recorded.entry);
    provider.meanwhile = () => writeFileSync(file, MINE);

    const [refreshed] = await asked(await session.connection.startRun({ mode: "refresh" }));

    assert.equal(refreshed?.outcome, "forwarded");
    assert.equal(readFileSync(file, "utf8"), MINE);
    rmSync(file);
  });
});
