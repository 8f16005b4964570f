import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as vscode from "vscode";
import type { Session } from "../../../src/editor/session/session.ts";
import { casesOf } from "../../support/cases.ts";
import { missingIn } from "../support/commands.ts";
import { eventually } from "../support/eventually.ts";
import { addressOf, askAt, pointOtherExtensions, theSession, untilReady } from "../support/session.ts";

const NAMES = [
  "OPENAI_BASE_URL",
  "ANTHROPIC_BASE_URL",
  "TAPEDECK_URL",
  "NODE_OPTIONS",
  "PYTHONPATH",
] as const;

type VariablesByName = Partial<Record<(typeof NAMES)[number], string>>;

describe("the session", () => {
  let session: Session;
  before(async () => {
    session = await theSession();
    await untilReady(session);
  });
  afterEach(async () => {
    if (session.mode !== "strict") await session.setMode("strict");
  });

  /** Describes a wait, with the outcome of the last call if it fails. */
  const called = (what: string) => (): string => {
    const last = session.state.calls.at(-1);
    return `${what}; the last call was ${last?.outcome} (${last?.reason ?? last?.label})`;
  };

  it("starts in strict and gives a miss to a call that is not recorded", async () => {
    const prompt = `never recorded ${Date.now()}`;

    const response = await askAt(await addressOf(session), prompt);

    assert.equal(response.status, 404);
    assert.equal(response.headers.get("x-tapedeck-outcome"), "miss");
    const missing = await eventually(called("listed as missing"), () =>
      missingIn(session).find(({ miss }) => miss.label.includes(prompt)),
    );
    session.findings.dismiss([missing]);
    assert.ok(!missingIn(session).some(({ id }) => id === missing.id));
  });

  it("changes its mode without another address, and a click toggles strict and record", async () => {
    const before = await session.connection.environment();

    await vscode.commands.executeCommand("tapedeck.toggleMode");
    const clicked = session.mode;
    const during = await session.connection.environment();
    await vscode.commands.executeCommand("tapedeck.toggleMode");

    assert.equal(clicked, "record");
    assert.equal(session.mode, "strict");
    assert.deepEqual(during, before);
  });

  it("records in a separate run while the workspace stays strict; the recording is new until it is accepted", async () => {
    const prompt = `only in a separate run ${Date.now()}`;
    const address = await addressOf(session);
    const missed = await askAt(address, prompt);
    const run = await session.connection.startRun({
      mode: "record",
      test: { file: "tests/own.test.ts", name: ["own"] },
    });
    const url = run.environment["TAPEDECK_URL"] ?? "";

    const recorded = await askAt(url, prompt);
    await recorded.text();
    const entry = await eventually(
      called("recorded"),
      () => run.events.find(({ outcome }) => outcome === "recorded")?.entry,
    );
    run.end();
    const afterwards = await askAt(url, prompt);
    const replayed = await askAt(address, prompt);

    assert.equal(missed.status, 404);
    assert.equal(recorded.status, 200);
    assert.equal(session.mode, "strict");
    assert.equal(afterwards.headers.get("x-tapedeck-outcome"), "refused");
    assert.equal(replayed.headers.get("x-tapedeck-outcome"), "replayed");
    assert.ok(entry && session.state.candidates.has(entry), "it is new");
    assert.ok(
      !missingIn(session).some(({ miss }) => miss.label.includes(prompt)),
      "it is not missing any more",
    );
    await session.recordings.accept([entry]);
    assert.ok(!session.state.candidates.has(entry), "it is accepted");
    assert.ok(existsSync(join(session.deck.dir, entry)));
  });

  it("discards a new recording, and puts it back byte for byte", async () => {
    const run = await session.connection.startRun({ mode: "record" });
    await (await askAt(run.environment["TAPEDECK_URL"] ?? "", `to be discarded ${Date.now()}`)).text();
    const entry = await eventually(
      called("recorded"),
      () => run.events.find(({ outcome }) => outcome === "recorded")?.entry,
    );
    run.end();
    assert.ok(entry);
    const file = join(session.deck.dir, entry);
    const before = readFileSync(file, "utf8");

    const discarded = await session.recordings.discard([entry]);
    const isGone = !existsSync(file) && !session.state.candidates.has(entry);
    await discarded.undo();

    assert.ok(isGone);
    assert.equal(readFileSync(file, "utf8"), before);
    assert.ok(session.state.candidates.has(entry));
    await session.recordings.discard([entry]);
  });

  it("keeps its address when the server is started again", async () => {
    const before = await addressOf(session);

    await vscode.commands.executeCommand("tapedeck.restartServer");
    await untilReady(session);

    assert.equal(await addressOf(session), before);
    assert.equal((await askAt(before, "hello again")).status, 404);
  });

  it("reports an invalid setting, and continues with its default", async () => {
    const configuration = vscode.workspace.getConfiguration("tapedeck", session.folder.uri);

    await configuration.update("codeLens", "sometimes", vscode.ConfigurationTarget.Workspace);
    const note = await eventually("noted", () =>
      session.notes.find((one) => one.includes("tapedeck.codeLens")),
    );
    await configuration.update("codeLens", undefined, vscode.ConfigurationTarget.Workspace);
    await eventually("no note", () => !session.notes.some((one) => one.includes("tapedeck.codeLens")));

    assert.match(note, /must be one of all, missing, off, but it is "sometimes"/u);
    assert.equal(session.settings.codeLens, "all");
  });

  it("shows no problem of the old folder when tapedeck.folder names one outside the workspace", async () => {
    const configuration = vscode.workspace.getConfiguration("tapedeck", session.folder.uri);
    const outside = join(mkdtempSync(join(tmpdir(), "tapedeck-elsewhere-")), "recordings");
    const stray = join(session.deck.dir, "calls", "openai", "notes.txt");
    mkdirSync(dirname(stray), { recursive: true });
    writeFileSync(stray, "no recording");
    const problems = (): number => vscode.languages.getDiagnostics(vscode.Uri.file(stray)).length;
    const use = async (folder: string | undefined): Promise<void> => {
      await configuration.update("folder", folder, vscode.ConfigurationTarget.Workspace);
      await eventually("another folder", () => (session.deck.dir === outside) === (folder !== undefined));
      await untilReady(session);
    };

    void vscode.commands.executeCommand("tapedeck.checkRecordings");
    await eventually("a problem of the stray file", () => problems() > 0);
    await use(outside);
    await eventually("no problem of another folder", () => problems() === 0);
    // Where sent calls go is noted in any folder.
    const notes = session.notes.filter((one) => !one.startsWith("Calls to "));
    await use(undefined);
    rmSync(stray);

    assert.deepEqual(notes, []);
    assert.equal(session.lifecycle.status.kind, "ready");
  });

  it("does not take a mode, or a guard that is off, from the settings of a workspace", async () => {
    const configuration = vscode.workspace.getConfiguration("tapedeck", session.folder.uri);
    const settings = join(session.folder.uri.fsPath, ".vscode", "settings.json");
    const before = readFileSync(settings, "utf8");
    const own = { "tapedeck.mode": "record", "tapedeck.guard": false, "tapedeck.codeLens": "off" };

    writeFileSync(settings, JSON.stringify({ ...(JSON.parse(before) as object), ...own }));
    await eventually("the other setting is read", () => session.settings.codeLens === "off");
    const taken = { mode: session.mode, guard: session.settings.guard };
    writeFileSync(settings, before);
    await eventually("the setting is gone", () => session.settings.codeLens === "all");

    assert.deepEqual(taken, { mode: "strict", guard: true });
    assert.equal(configuration.get("guard"), true);
  });

  it("lets a call answer differently from its run, and gives back what it replaced when that is discarded", async () => {
    const prompt = "to be recorded again";
    const first = await session.connection.startRun({ mode: "record" });
    await (await askAt(first.environment["TAPEDECK_URL"] ?? "", prompt)).text();
    const made = await eventually(called("recorded"), () => first.events.find(({ entry }) => entry !== null));
    first.end();
    assert.ok(made.entry && made.key);
    await session.recordings.accept([made.entry]);
    const file = join(session.deck.dir, made.entry);
    const before = readFileSync(file, "utf8");

    const again = await session.connection.startRun({
      mode: "strict",
      overrides: new Map([[made.key, "refresh"]]),
    });
    await (await askAt(again.environment["TAPEDECK_URL"] ?? "", prompt)).text();
    const event = await eventually(called("recorded again"), () => again.events.at(0));
    again.end();

    assert.equal(event.outcome, "recorded");
    assert.equal(event.mode, "refresh");
    assert.equal(session.state.candidates.get(made.entry)?.replaces, true);
    const refreshed = readFileSync(file, "utf8");
    assert.notEqual(refreshed, before);
    await session.recordings.discard([made.entry]);
    assert.equal(readFileSync(file, "utf8"), before);
    assert.ok(!session.state.candidates.has(made.entry));
  });
});

describe("the variables reach", () => {
  const folder = mkdtempSync(join(tmpdir(), "tapedeck-env-"));
  const probe = join(folder, "probe.cjs");
  let session: Session;
  let expected: string;
  let count = 0;

  before(async () => {
    session = await theSession();
    await untilReady(session);
    expected = await addressOf(session);
    writeFileSync(
      probe,
      `const { writeFileSync, renameSync } = require("fs");
       const seen = Object.fromEntries(${JSON.stringify(NAMES)}.map((name) => [name, process.env[name]]));
       writeFileSync(process.argv[2] + ".part", JSON.stringify(seen));
       renameSync(process.argv[2] + ".part", process.argv[2]);`,
    );
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const output = () => join(folder, `out${++count}.json`);

  const seen = (file: string): Promise<VariablesByName> =>
    eventually(
      "the probe ran",
      () => existsSync(file) && (JSON.parse(readFileSync(file, "utf8")) as VariablesByName),
    );

  function assertPointed(found: VariablesByName): void {
    assert.equal(found.TAPEDECK_URL, expected);
    assert.equal(found.OPENAI_BASE_URL, `${expected}/openai/v1`);
    assert.equal(found.ANTHROPIC_BASE_URL, `${expected}/anthropic`);
    assert.match(found.NODE_OPTIONS ?? "", /--require="[^"]+tapedeck-preload\.cjs"/u);
    assert.match(found.PYTHONPATH ?? "", /tapedeck.hooks.[0-9a-f]{16}.python$/u);
  }

  it("a terminal", async () => {
    const file = output();
    const terminal = vscode.window.createTerminal("probe");

    terminal.sendText(`node "${probe}" "${file}"`);

    assertPointed(await seen(file));
    terminal.dispose();
  });

  it("a task", async () => {
    const file = output();
    const execution = new vscode.ProcessExecution("node", [probe, file]);

    await vscode.tasks.executeTask(
      new vscode.Task({ type: "process" }, session.folder, "probe", "test", execution),
    );

    assertPointed(await seen(file));
  });

  const consoles = casesOf({ quick: ["internalConsole"], long: ["internalConsole", "integratedTerminal"] });
  for (const console of consoles) {
    it(`a debug session in the ${console}`, async () => {
      const file = output();

      const launch = {
        type: "node",
        request: "launch",
        name: "probe",
        program: probe,
        args: [file],
        console,
      };
      const started = await vscode.debug.startDebugging(session.folder, launch);

      assert.ok(started);
      assertPointed(await seen(file));
      await vscode.debug.stopDebugging();
    });
  }

  it("nothing that another extension starts, which may be an agent, unless the user allowed it", async () => {
    const file = output();

    spawnSync("node", [probe, file]);

    const { NODE_OPTIONS, PYTHONPATH, ...addresses } = await seen(file);
    assert.deepEqual(addresses, {});
    assert.doesNotMatch(`${NODE_OPTIONS} ${PYTHONPATH}`, /tapedeck-preload|hooks.python/u);
    assert.deepEqual(
      Object.values(process.env).filter((value) => value?.includes(expected)),
      [],
    );
  });

  it("programs that another extension starts, if the user allows it, until Tapedeck is turned off; then nothing of ours is left", async () => {
    const before = output();
    const after = output();
    await pointOtherExtensions(true);

    spawnSync("node", [probe, before]);
    await session.lifecycle.turnOff();
    spawnSync("node", [probe, after]);
    const left = Object.values(process.env).filter((value) => value?.includes(expected));
    const gone = await fetch(expected).catch(() => "nobody listens");
    await session.lifecycle.turnOn();
    await pointOtherExtensions(true);
    await pointOtherExtensions(false);

    assertPointed(await seen(before));
    const { NODE_OPTIONS, PYTHONPATH, ...addresses } = await seen(after);
    assert.deepEqual(addresses, {});
    assert.doesNotMatch(`${NODE_OPTIONS} ${PYTHONPATH}`, /tapedeck-preload|hooks.*python/u);
    assert.deepEqual(left, []);
    assert.equal(gone, "nobody listens");
    assert.equal(await addressOf(session), expected);
  });
});
