import { localize } from "../../core/base/localize.ts";
import * as path from "node:path";
import * as vscode from "vscode";
import { homedir } from "node:os";
import type { Mode } from "../../core/call/call.ts";
import type { Deck } from "../../deck/deck.ts";
import { readDotenv } from "../../core/base/dotenv.ts";
import { listGuardedHosts } from "../../core/protocol/origin.ts";
import {
  GUARD_OFF,
  GUARD_VARIABLE,
  type HookVariables,
  createHookVariables,
  getValuesBefore,
} from "../../hooks/environment.ts";
import { getAddresses } from "../../server/environment.ts";
import { READ_LIMITS, readText } from "../../storage/folder/read-file.ts";
import { readRecordedOrigin } from "../../storage/folder/recorded-providers.ts";
import { DOTENV_FILES } from "../../storage/local/own-scanner.ts";
import { lookAtClients } from "../../storage/own-clients.ts";
import { listPlaceholderProviders } from "../../deck/placeholder-providers.ts";
import {
  type EnvironmentInput,
  type EnvironmentPlan,
  type EnvironmentSwitch,
  type ProviderGateway,
  type TerminalChange,
  type VariableChange,
  extendDebugEnvironment,
  readEnvFile,
  planEnvironment,
  computeTerminalChange,
  describeTerminalState,
} from "./environment-model.ts";
import { OWN_UPSTREAMS } from "./own-environment.ts";
import { FOLDERS_VARIABLE, type HostShare } from "./host-environment.ts";
import { getTag } from "../window/folder-names.ts";

/** The variables of processes that are started from this window, and their removal. */
export type WorkspaceEnvironment = ReturnType<typeof createWorkspaceEnvironment>;

interface WantedEnvironment {
  readonly url: string;
  readonly deck: Deck;
  readonly mode: Mode;
}

interface EnvironmentOptions {
  readonly collection: vscode.EnvironmentVariableCollection;
  readonly folder: vscode.WorkspaceFolder;
  /** In the extension host's variables, which other extensions' processes start with. */
  readonly host: HostShare;
  /** Whether a debug session of a folder, or without one, belongs to this folder. */
  readonly debugs: (folder: vscode.WorkspaceFolder | undefined) => boolean;
  /** Gives the folder that holds what is loaded into test processes. Never rejects. */
  readonly hooksDir: () => Promise<string>;
  /** Whether connections to providers are redirected. */
  readonly guards: () => boolean;
  /** Returns the other variables of a mode. */
  readonly switches: (mode: Mode) => readonly EnvironmentSwitch[];
}

/** Returns the hooks, and the names of the user's variables that are not in the process environment. */
async function lookAround(
  { folder, host, hooksDir, guards }: EnvironmentOptions,
  { url, deck: { providers, project } }: WantedEnvironment,
  user: Readonly<Record<string, string | undefined>>,
): Promise<{ readonly hooks: HookVariables; readonly elsewhere: ReadonlySet<string> }> {
  const { fsPath } = folder.uri;
  const clients = await lookAtClients({ folder: fsPath, env: user, home: homedir(), maySend: true });
  const elsewhere = new Set([...(await namesElsewhere(folder)), ...clients.credentials]);
  const { freeze } = project.current.config;
  const options = { url, hooksDir: await hooksDir(), roots: [fsPath], delimiter: path.delimiter, freeze };
  // Terminal settings are left out: a workspace can bring them along, and it must not switch the guard off.
  if (!guards() || host.without()[GUARD_VARIABLE] === GUARD_OFF)
    return { hooks: createHookVariables(options), elsewhere };
  const guarded = {
    guard: listGuardedHosts(providers),
    before: getValuesBefore(getAddresses(url, providers), user),
    conflictingKeys: clients.conflictingKeys,
  };
  return { hooks: createHookVariables({ ...options, ...guarded, tellsStart: true }), elsewhere };
}

/** Gateways of the environment have a note with their variable. */
function gatewaysOf({ dir, providers }: Deck): readonly ProviderGateway[] {
  const noted = new Set(OWN_UPSTREAMS.upstreams.map(({ provider }) => provider));
  return providers.names
    .filter((provider) => !noted.has(provider))
    .map((provider) => {
      const { isUsersOwn, upstream } = providers.get(provider) ?? {};
      return isUsersOwn === true
        ? { provider, named: upstream }
        : { provider, recorded: readRecordedOrigin(dir, provider) };
    });
}

/** A debug session belongs to its folder, wherever it runs. */
const SETTLED: VariableChange = { name: FOLDERS_VARIABLE, how: "replace", value: "" };

export function createWorkspaceEnvironment(options: EnvironmentOptions) {
  const { folder, host, switches } = options;
  const terminals = createTerminalShare(options.collection, folder);
  let current: readonly VariableChange[] = [];
  const debugging = vscode.debug.registerDebugConfigurationProvider("*", {
    resolveDebugConfiguration: async (debugged, configuration) => {
      if (current.length === 0 || !options.debugs(debugged)) return configuration;
      const fromFile = await namesIn(readEnvFile(configuration, folder.uri.fsPath));
      const changes = getTag(folder) === undefined ? current : [...current, SETTLED];
      return extendDebugEnvironment(configuration, changes, { own: host.without(), fromFile });
    },
  });

  const userVariables = (): Record<string, string | undefined> => ({
    ...host.without(),
    ...terminalVariables(folder),
  });
  const withdraw = (): void => {
    current = [];
    terminals.withdraw();
    host.takeBack();
  };
  return {
    /** Plans the variables that point clients to `url`. Uses only the names in the folder's `.env` files, never their values. */
    async plan(request: WantedEnvironment) {
      const { url, deck, mode } = request;
      const user = userVariables();
      return planEnvironment({
        addresses: getAddresses(url, deck.providers),
        providers: listPlaceholderProviders(deck),
        ...(await lookAround(options, request, user)),
        user,
        delimiter: path.delimiter,
        switches: switches(mode),
        ...goingOn(deck),
      });
    },
    /** Applies a plan to terminals, tasks, and debug sessions, and with `extensions` to processes of other extensions. */
    contribute(plan: EnvironmentPlan, { extensions }: { readonly extensions: boolean }) {
      host.set(extensions ? plan.changes : []);
      current = plan.changes;
      terminals.set(current, host.without());
    },
    withdraw,
    /** The variables of a user's process without ours: those of the extension host and of the terminal settings. */
    own: userVariables,
    dispose() {
      withdraw();
      host.dispose();
      debugging.dispose();
    },
  };
}

/** The user's own addresses to which calls are forwarded, by variable, except for those that a setting replaces. */
function goingOn(deck: Deck): Required<Pick<EnvironmentInput, "goingOn" | "gateways">> {
  const used = OWN_UPSTREAMS.upstreams.filter(
    ({ provider, address }) => deck.providers.get(provider)?.upstream === address,
  );
  return {
    goingOn: new Map(used.map(({ variable, address }) => [variable, address])),
    gateways: gatewaysOf(deck),
  };
}

/** In a window with several folders, the folder in which a terminal is opened decides its variables. */
export function getCollection(
  all: vscode.GlobalEnvironmentVariableCollection,
  folder: vscode.WorkspaceFolder,
): vscode.EnvironmentVariableCollection {
  // Values of a killed window must not point processes to a server that has ended.
  all.persistent = false;
  return getTag(folder) === undefined ? all : all.getScoped({ workspaceFolder: folder });
}

async function namesElsewhere({ uri }: vscode.WorkspaceFolder): Promise<readonly string[]> {
  const inFiles = await Promise.all(DOTENV_FILES.map((name) => namesIn(path.join(uri.fsPath, name))));
  return inFiles.flat();
}

async function namesIn(file: string | undefined): Promise<readonly string[]> {
  if (file === undefined) return [];
  const text = await readText(file, { most: READ_LIMITS.source, links: "followed" }).catch(() => "");
  return Object.keys(readDotenv(text));
}

const DESCRIPTION = localize("Points LLM clients to Tapedeck, which records and replays their calls");

function createTerminalShare(
  collection: vscode.EnvironmentVariableCollection,
  folder: vscode.WorkspaceFolder,
) {
  let current: readonly TerminalChange[] = [];
  return {
    /** Replaces the earlier changes. `own`: the variables of a process without ours. */
    set(planned: readonly VariableChange[], own: Readonly<Record<string, string | undefined>>) {
      const changes = terminalChanges(planned, folder, own);
      // Writing the same again would mark every open terminal as outdated.
      if (JSON.stringify(changes) === JSON.stringify(current)) return;
      current = changes;
      collection.clear();
      collection.description = DESCRIPTION;
      for (const { name, how, value } of changes) collection[how](name, value);
    },
    withdraw() {
      current = [];
      collection.clear();
    },
  };
}

/** Returns the variables of terminals from the user's settings. */
function terminalVariables(folder: vscode.WorkspaceFolder): Record<string, string> {
  const value = terminalSettings(folder);
  if (typeof value !== "object" || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => isPlainText(entry[1])),
  );
}

function terminalSettings(folder: vscode.WorkspaceFolder, what = "env"): unknown {
  const system = { win32: "windows", darwin: "osx" }[process.platform as string] ?? "linux";
  return vscode.workspace.getConfiguration(`terminal.integrated.${what}`, folder.uri).get(system);
}

function terminalChanges(
  changes: readonly VariableChange[],
  folder: vscode.WorkspaceFolder,
  own: Readonly<Record<string, string | undefined>>,
): readonly TerminalChange[] {
  const isInherited = vscode.workspace.getConfiguration("terminal.integrated", folder.uri).get("inheritEnv");
  const tasks = vscode.workspace.getConfiguration("tasks", folder.uri);
  const sources = {
    inherited: isInherited === false ? {} : own,
    settings: terminalSettings(folder),
    others: [tasks.get("tasks"), tasks.get("options"), terminalSettings(folder, "profiles")],
  };
  return changes.flatMap((change) => {
    const separator = change.how === "replace" ? "" : change.separator;
    return computeTerminalChange(change, describeTerminalState(change.name, { ...sources, separator })) ?? [];
  });
}

/** A text that VS Code does not fill in. */
const isPlainText = (value: unknown): value is string => typeof value === "string" && !value.includes("${");
