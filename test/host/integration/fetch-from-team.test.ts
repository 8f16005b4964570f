import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import * as vscode from "vscode";
import type { MissingCall } from "../../../src/editor/findings/findings-model.ts";
import type { Session } from "../../../src/editor/session/session.ts";
import { createKeyPair } from "../../../src/remote/team-keys.ts";
import { missingIn } from "../support/commands.ts";
import { eventually } from "../support/eventually.ts";
import { addressOf, askAt, theSession, untilReady } from "../support/session.ts";

describe("fetching a missing call from the team's cache", () => {
  const key = createKeyPair().privateKey;
  const place = mkdtempSync(join(tmpdir(), "team-"));
  const cache = join(place, "cache");
  let session: Session;
  before(async () => {
    mkdirSync(cache);
    session = await theSession();
    await untilReady(session);
  });
  after(async () => {
    delete process.env["TAPEDECK_REMOTE_KEY"];
    await nameCache(undefined);
    await untilReady(session);
    rmSync(place, { recursive: true });
  });

  const nameCache = (address: string | undefined): Thenable<void> =>
    vscode.workspace.getConfiguration().update("tapedeck.remote.address", address, true);

  async function missed(prompt: string): Promise<MissingCall> {
    await askAt(await addressOf(session), prompt);
    return eventually("missed", () => missingIn(session).find(({ miss }) => miss.label.includes(prompt)));
  }

  /** A colleague sends the recording that answers it, which is not kept here. */
  async function colleaguePushes({ miss }: MissingCall): Promise<void> {
    const { deck } = session;
    const { entry } = await deck.store.save(deck.compose(miss, { text: "a colleague's" }));
    const { extensionPath = "" } = vscode.extensions.getExtension("tapedeck.llm-tapedeck") ?? {};
    const sent = ["team", "push", "--dir", deck.dir, "--remote", cache];
    const env = { ...process.env, TAPEDECK_REMOTE_KEY: key, ELECTRON_RUN_AS_NODE: "1" };
    const program = join(extensionPath, "dist", "cli.js");
    await promisify(execFile)(process.execPath, [program, ...sent], { env, cwd: dirname(deck.dir) });
    await deck.store.remove(entry);
  }

  it("brings the recording that answers it", async () => {
    const prompt = `asked by the team ${Date.now()}`;
    await colleaguePushes(await missed(prompt));
    const missing = await missed(prompt);
    const { provider, key: ofCall } = missing.miss;
    process.env["TAPEDECK_REMOTE_KEY"] = key;
    await nameCache(cache);
    await eventually("the cache is asked", () => session.deck.team?.asks);
    assert.equal(session.deck.store.takes(provider, ofCall).length, 0);

    await vscode.commands.executeCommand("tapedeck.pullRecordings", { finding: missing.id });

    const [taken] = session.deck.store.takes(provider, ofCall);
    assert.ok(taken, "the recording is here");
    assert.equal(session.deck.team?.isTeams(taken.entry), true);
    await eventually("the call is no longer missing", () =>
      missingIn(session).every(({ id }) => id !== missing.id),
    );
    const answered = await askAt(await addressOf(session), prompt);
    assert.match(await answered.text(), /a colleague's/u);
  });
});
