import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import * as vscode from "vscode";
import type { Session } from "../../../src/editor/session/session.ts";
import { rememberUpstreams } from "../../../src/storage/local/remembered-upstreams.ts";
import { eventually } from "../support/eventually.ts";
import { theSession, untilReady } from "../support/session.ts";

const STATE = process.env["XDG_STATE_HOME"] ?? "";
const GATEWAY = "http://127.0.0.1:28999";

describe("an address that was named when recording in a terminal", () => {
  const settings = () => vscode.workspace.getConfiguration("tapedeck");
  const upstreams = settings().inspect("upstreams")?.globalValue;
  let session: Session;
  before(async () => {
    session = await theSession();
    await untilReady(session);
  });
  after(async () => {
    rmSync(join(STATE, "tapedeck", "upstreams"), { recursive: true });
    await settings().update("upstreams", upstreams, vscode.ConfigurationTarget.Global);
    await eventually("the address is forgotten", () => upstreamOf("openai") !== GATEWAY);
    await untilReady(session);
  });
  const upstreamOf = (name: string) => session.deck.providers.get(name)?.upstream;

  it("is where the window records from, unless its setting names another", async () => {
    assert.notEqual(STATE, "");
    await rememberUpstreams(session.deck.dir, { openai: GATEWAY, anthropic: GATEWAY }, STATE);

    const own = { anthropic: "http://127.0.0.1:28998" };
    await settings().update("upstreams", own, vscode.ConfigurationTarget.Global);

    await eventually("both addresses are used", () => upstreamOf("anthropic") === own.anthropic);
    assert.equal(upstreamOf("openai"), GATEWAY);
  });
});
