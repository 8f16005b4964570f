import { localize } from "../../core/base/localize.ts";
import { realpathSync } from "node:fs";
import * as vscode from "vscode";
import { createTapedeckError } from "../../core/base/errors.ts";
import type { Mode } from "../../core/call/call.ts";
import type { Deck } from "../../deck/deck.ts";
import type { WorkspaceEnvironment } from "../environment/environment.ts";
import type { Admission } from "../../server/guard/guard.ts";
import { type EnvironmentPlan, listReachNotes } from "../environment/environment-model.ts";
import { type RunOptions, type SessionRuns, createRunEnvironment } from "./session-runs.ts";
import { type SessionServer, type SessionServing, createServing } from "./session-server.ts";
import type { RunnerProcess } from "../../server/runner-process.ts";
import type { Settings } from "../settings/settings-model.ts";
import type { Log } from "../window/log.ts";
import type { WindowMemory } from "../window/remembered.ts";
import { type ProviderKeys, listKeyedProviders, withKeys } from "./provider-keys.ts";

/** How processes reach a session: its server, and the variables that point their clients to it. */
export type SessionConnection = ReturnType<typeof connectionOver>;

export interface FolderSessionOptions {
  readonly folder: vscode.WorkspaceFolder;
  readonly tag: string | undefined;
  readonly log: Log;
  readonly remembered: WindowMemory;
  readonly environment: WorkspaceEnvironment;
  readonly keys: ProviderKeys;
}

interface ConnectionOptions extends Omit<FolderSessionOptions, "tag"> {
  readonly runs: SessionRuns;
  readonly deck: () => Deck;
  readonly settings: () => Settings;
}

/** Creates the connection. The server starts when it is first needed. */
export function connectSession(options: ConnectionOptions): SessionConnection {
  const { folder, remembered, deck, runs } = options;
  const tests = new vscode.EventEmitter<RunnerProcess>();
  const serving = createServing({
    deck,
    run: runs.folder,
    remembered: remembered.address,
    onTests: (runner) => tests.fire(runner),
    onGuard: (note) => runs.noteReport(note),
    // Tests of other folders are not noted, because their files would be searched for in this folder.
    roots: listPathsOf(folder.uri.fsPath),
  });
  return connectionOver(serving, tests, options);
}

/** A folder's path, and the real one if that leads through a link: test runners report real paths. */
function listPathsOf(folder: string): readonly string[] {
  try {
    return [...new Set([folder, realpathSync(folder)])];
  } catch {
    return [folder];
  }
}

function connectionOver(
  serving: SessionServing,
  tests: vscode.EventEmitter<RunnerProcess>,
  { environment, runs, deck, settings, keys }: ConnectionOptions,
) {
  let notes: readonly string[] = [];

  const plan = ({ url }: Admission, mode: Mode): Promise<EnvironmentPlan> =>
    environment.plan({ url, deck: deck(), mode });
  return {
    /** Fires when a process reports that its tests began, no matter what started the process. */
    onDidBeginTests: tests.event,
    /** Origin of the server, without a token; undefined while there is none. */
    get origin() {
      return serving.current?.server.origin;
    },
    /** Number of requests that all servers of this window admitted. */
    get requests() {
      return serving.requests;
    },
    /** One sentence for each setting or variable that changes which calls reach Tapedeck. */
    get notes() {
      return notes;
    },
    /** Starts the server if needed, applies the settings of variables, and resolves to the origin. @throws as `startRun` */
    async open() {
      const { admission, server } = await trustedServer(serving);
      const planned = await plan(admission, runs.folder.mode);
      const { environment: isShared, environmentOfExtensions: extensions } = settings();
      if (isShared) environment.contribute(planned, { extensions });
      else environment.withdraw();
      notes = listReachNotes(planned, { isShared });
      return server.origin;
    },
    /**
     * Starts a separate run with its own mode and test. Its token is valid until `end()`. Starts the server if needed.
     * `overrides`: how the next call of a key is answered, e.g. to record one key in an otherwise strict run.
     * @throws TapedeckError in Restricted Mode and if the server cannot start.
     */
    async startRun(options: RunOptions) {
      const { server } = await trustedServer(serving);
      const run = deck().createRun(options.mode, options.test);
      for (const [key, mode] of options.overrides ?? []) run.overrides.set(key, mode);
      const admission = server.admit(run);
      const { changes } = await plan(admission, run.mode);
      const started = runs.beginRun(run, options, () => admission.revoke());
      const fitting = createRunEnvironment(options, changes, environment.own());
      const providers = listKeyedProviders({ deck: deck() });
      return { run, ...started, environment: await withKeys(fitting, options, { keys, providers }) };
    },
    /** Returns the variables for a terminal in the workspace's run. Starts the server if needed. @throws as `startRun` */
    environment: async () => (await plan((await trustedServer(serving)).admission, runs.folder.mode)).changes,
    /** Removes the variables. The server stays for running processes. */
    withdraw: () => environment.withdraw(),
    closeServer: () => serving.close(),
    /** Ends the connection for good. */
    async close() {
      tests.dispose();
      await serving.close();
    },
  };
}

async function trustedServer(serving: SessionServing): Promise<SessionServer> {
  expectTrust();
  return serving.ensure();
}

/** @throws TapedeckError in Restricted Mode */
export function expectTrust(): void {
  if (vscode.workspace.isTrusted) return;
  throw createTapedeckError("tapedeck_refused", localize("Tapedeck runs nothing in Restricted Mode."), {
    hint: localize("Trust the workspace to record and replay."),
  });
}
