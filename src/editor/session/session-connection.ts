import * as vscode from "vscode";
import { tapedeckError } from "../../core/base/errors.ts";
import type { Mode } from "../../core/call/call.ts";
import type { Deck } from "../../deck/deck.ts";
import type { WorkspaceEnvironment } from "../environment/environment.ts";
import { createWindowProxy, type WindowProxy } from "../environment/window-proxy.ts";
import type { Admission } from "../../server/guard/guard.ts";
import { reachNotes, type EnvironmentPlan, type VariableChange } from "../environment/environment-model.ts";
import { runEnvironment } from "./own-runs-model.ts";
import type { SessionRuns } from "./session-runs.ts";
import { createServing, type SessionServer, type SessionServing } from "./session-server.ts";
import type { RunOptions, SessionRun } from "./session-run.ts";
import type { RunnerProcess } from "../../server/runner-process.ts";
import type { Settings } from "../settings/settings-model.ts";
import type { Log } from "../window/log.ts";
import type { Remembered } from "../window/remembered.ts";
import { keyedProviders, withKeys, type ProviderKeys } from "./provider-keys.ts";

/** How processes reach a session: its server, and the variables that point their clients to it. */
export interface SessionConnection {
  /** Of the server, without a token; undefined while there is none. */
  readonly origin: string | undefined;
  /** Requests let in, by all servers of this window. */
  readonly requests: number;
  /** One sentence for each setting or variable that changes which calls reach Tapedeck. */
  readonly notes: readonly string[];
  /** Starts the server if needed, and sets the variables where the settings want them. Gives its origin. @throws as `startRun` */
  open(): Promise<string>;
  /**
   * Starts a separate run with its own mode and test. Its token is valid until `end()`. Starts the server if needed.
   * `overrides`: how the next call of a key is answered, e.g. to record one key in an otherwise strict run.
   * @throws TapedeckError in Restricted Mode and if the server cannot start.
   */
  startRun(options: RunOptions): Promise<SessionRun>;
  /** Returns the variables for a terminal in the workspace's run. Starts the server if needed. @throws as `startRun` */
  environment(): Promise<readonly VariableChange[]>;
  /** Fires when a process reports that its tests began, no matter what started the process. */
  readonly onDidBeginTests: vscode.Event<RunnerProcess>;
  /** Takes the variables back; the server stays for what runs. */
  withdraw(): void;
  /** The proxy stays: open terminals go through it. */
  closeServer(): Promise<void>;
  /** Nothing of it is wanted any more. */
  close(): Promise<void>;
}

export interface FolderSessionOptions {
  readonly folder: vscode.WorkspaceFolder;
  readonly tag: string | undefined;
  readonly log: Log;
  readonly remembered: Remembered;
  readonly environment: WorkspaceEnvironment;
  readonly keys: ProviderKeys;
}

interface ConnectionOptions extends Omit<FolderSessionOptions, "tag"> {
  readonly runs: SessionRuns;
  readonly deck: () => Deck;
  readonly settings: () => Settings;
}

/** Opens nothing yet. */
export function connectSession(options: ConnectionOptions): SessionConnection {
  const { folder, remembered, environment, log, deck, runs } = options;
  const tests = new vscode.EventEmitter<RunnerProcess>();
  const serving = createServing({
    deck,
    run: runs.folder,
    remembered: remembered.address,
    onTests: (runner) => tests.fire(runner),
    onGuard: (note) => runs.heard(note),
    // Of tests in other folders nothing is noted here: their files would be looked for in this one.
    roots: () => [folder.uri.fsPath],
  });
  const proxy = createWindowProxy({
    port: () => serving.current?.server.port,
    providers: () => deck().providers,
    base: () => environment.own(),
    warn: (message) => log.warn(message),
  });
  return connectionOver({ serving, proxy, tests }, options);
}

interface ConnectionParts {
  readonly serving: SessionServing;
  readonly proxy: WindowProxy;
  readonly tests: vscode.EventEmitter<RunnerProcess>;
}

function connectionOver(
  { serving, proxy, tests }: ConnectionParts,
  { environment, runs, deck, settings, keys }: ConnectionOptions,
): SessionConnection {
  let notes: readonly string[] = [];

  const plan = async ({ url, token }: Admission, mode: Mode): Promise<EnvironmentPlan> => {
    const proxied = settings().proxy ? await proxy.variables(token) : {};
    return environment.plan({ url, deck: deck(), mode, proxied });
  };
  return {
    onDidBeginTests: tests.event,
    get origin() {
      return serving.current?.server.origin;
    },
    get requests() {
      return serving.requests;
    },
    get notes() {
      return notes;
    },
    async open() {
      const { admission, server } = await trustedServer(serving);
      const planned = await plan(admission, runs.folder.mode);
      const { environment: isShared, environmentOfExtensions: extensions } = settings();
      if (isShared) environment.contribute(planned, { extensions });
      else environment.withdraw();
      notes = reachNotes(planned, { isShared });
      return server.origin;
    },
    async startRun(asked) {
      const { server } = await trustedServer(serving);
      const run = deck().createRun(asked.mode, asked.test, asked.faults);
      for (const [key, mode] of asked.overrides ?? []) run.overrides.set(key, mode);
      const admission = server.admit(run);
      const { changes } = await plan(admission, run.mode);
      const started = runs.started(run, asked, () => admission.revoke());
      const fitting = runEnvironment(asked, changes, environment.own());
      const providers = keyedProviders({ deck: deck() });
      return { run, ...started, environment: await withKeys(fitting, asked, { keys, providers }) };
    },
    environment: async () => (await plan((await trustedServer(serving)).admission, runs.folder.mode)).changes,
    withdraw: () => environment.withdraw(),
    closeServer: () => serving.close(),
    async close() {
      tests.dispose();
      await serving.close();
      await proxy.close();
    },
  };
}

async function trustedServer(serving: SessionServing): Promise<SessionServer> {
  if (vscode.workspace.isTrusted) return serving.ensure();
  throw tapedeckError("tapedeck_refused", "Tapedeck runs nothing in Restricted Mode.", {
    hint: "Trust the workspace to record and replay.",
  });
}
