import * as vscode from "vscode";
import { tapedeckError } from "../../core/errors.ts";
import type { Mode } from "../../core/call.ts";
import type { Deck } from "../../deck/deck.ts";
import type { WorkspaceEnvironment } from "../environment/environment.ts";
import type { WindowProxy } from "../environment/window-proxy.ts";
import type { Admission } from "../../server/guard/admissions.ts";
import type { EnvironmentPlan, VariableChange } from "../environment/environment-model.ts";
import { runEnvironment } from "../runs/own-runs-model.ts";
import type { SessionRuns } from "./session-runs.ts";
import type { SessionServer, SessionServing } from "./session-server.ts";
import type { RunOptions, SessionRun } from "./session.ts";
import type { Settings } from "../settings/settings-model.ts";

/** How processes reach a session: its server, and the variables that point their clients to it. */
export interface SessionConnection {
  /** Of the server, without a token; undefined while there is none. */
  readonly origin: string | undefined;
  /** Requests let in, by all servers of this window. */
  readonly requests: number;
  /** One sentence for each variable of the user's that points elsewhere while ours is set. */
  readonly notes: readonly string[];
  /** Starts the server if needed, and sets the variables where the settings want them. Gives its origin. @throws as `startRun` */
  open(): Promise<string>;
  /** @see Session.startRun */
  startRun(options: RunOptions): Promise<SessionRun>;
  /** @see Session.environment */
  environment(): Promise<readonly VariableChange[]>;
  /** Takes the variables back; the server stays for what runs. */
  withdraw(): void;
  /** The proxy stays: open terminals go through it. */
  closeServer(): Promise<void>;
  /** Nothing of it is wanted any more. */
  close(): Promise<void>;
}

export interface ConnectionOptions {
  readonly serving: SessionServing;
  readonly environment: WorkspaceEnvironment;
  readonly runs: SessionRuns;
  readonly deck: () => Deck;
  readonly settings: () => Settings;
  readonly proxy: WindowProxy;
  /** Gives a run the keys that a person gave to Tapedeck; see `withKeys`. */
  readonly addKeys: (
    environment: Record<string, string>,
    run: Pick<RunOptions, "mode" | "overrides">,
  ) => Promise<Record<string, string>>;
}

export function createConnection(options: ConnectionOptions): SessionConnection {
  const { serving, environment, runs, deck, settings, proxy } = options;
  let notes: readonly string[] = [];

  const plan = async ({ url, token }: Admission, mode: Mode): Promise<EnvironmentPlan> => {
    const proxied = settings().proxy ? await proxy.variables(token) : {};
    return environment.plan({ url, deck: deck(), mode, proxied });
  };
  return {
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
      notes = isShared ? planned.notes : [];
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
      return { run, ...started, environment: await options.addKeys(fitting, asked) };
    },
    async environment() {
      const { admission } = await trustedServer(serving);
      return (await plan(admission, runs.folder.mode)).changes;
    },
    withdraw: () => environment.withdraw(),
    closeServer: () => serving.close(),
    async close() {
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
