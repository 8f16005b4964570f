import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { canLeaveMachine, type Mode } from "../core/call/call.ts";
import { listGuardedHosts } from "../core/protocol/origin.ts";
import { createHookEnvironment, getValuesBefore } from "../hooks/environment.ts";
import { listRecordedProviders } from "../storage/folder/recorded-providers.ts";
import { findHome } from "../hooks/user-folder.ts";
import { lookAtClients, type OwnClients } from "../storage/own-clients.ts";
import {
  hasMetagptCache,
  METAGPT_VARIABLE,
  getMetagptValue,
} from "../systems/metagpt/cache/metagpt-switch.ts";
import { listPlaceholderProviders } from "../deck/placeholder-providers.ts";
import { getAddresses } from "../server/environment.ts";
import { isAboutRemote } from "../team/remote-variables.ts";
import { readAllowedHosts, type Serving } from "./serving.ts";
import type { Terminal } from "./terminal.ts";
import { PLACEHOLDER_KEY, listPlaceholderVariables } from "../core/protocol/providers.ts";

/** Returns the environment that directs a command's calls to the server and lets its tests identify themselves. */
export async function buildChildEnvironment(
  serving: Serving,
  mode: Mode,
  terminal: Terminal,
  {
    guards,
    blocksNetwork,
    startsFile,
  }: {
    readonly guards: boolean;
    readonly blocksNetwork: boolean;
    /** Gets a line from each Node process that starts with the hooks. */
    readonly startsFile?: string;
  },
): Promise<NodeJS.ProcessEnv> {
  const { cwd: folder, env } = terminal;
  const maySend = canLeaveMachine(mode);
  const clients = await lookAtClients({ folder, env, home: findHome(env), maySend });
  const placed = maySend ? {} : placeholderKeys(serving, env, clients);
  const hooksDir = findHooks();
  const hooks =
    hooksDir === undefined
      ? {}
      : createHookEnvironment({
          hooksDir,
          url: serving.admission.url,
          roots: serving.roots,
          base: terminal.env,
          delimiter,
          // The variable of a run takes precedence over the project's setting.
          freeze: terminal.env["TAPEDECK_FREEZE"]?.split(",") ?? serving.deck.project.current.config.freeze,
          tellsStart: startsFile ?? true,
          ...(mode === "strict" && { spare: spareKeys(placed, serving) }),
          conflictingKeys: clients.conflictingKeys,
          before: getValuesBefore(getAddresses(serving.admission.url, serving.deck.providers), terminal.env),
          ...(!maySend && { needed: neededVariables(serving) }),
          ...(guards && { guard: listGuardedHosts(serving.deck.providers) }),
          countsConnections: !maySend,
          ...(blocksNetwork && { allowedHosts: readAllowedHosts(serving.deck) }),
        });
  return {
    // In its strict mode, the default, Turborepo passes on only the variables that its configuration lists.
    TURBO_ENV_MODE: "loose",
    // A test that has the private key of the team cache could sign recordings.
    ...Object.fromEntries(Object.entries(terminal.env).filter(([name]) => !isAboutRemote(name))),
    ...placed,
    ...serving.env,
    ...metagptSwitch(mode, serving, terminal),
    TAPEDECK_URL: serving.admission.url,
    TAPEDECK_ROOTS: serving.roots.join(delimiter),
    ...hooks,
  };
}

/** Returns the variable that switches MetaGPT's own response cache, unless the user has set it. */
function metagptSwitch(mode: Mode, { roots }: Serving, { env }: Terminal): Readonly<Record<string, string>> {
  if ((env[METAGPT_VARIABLE] ?? "") !== "" || !hasMetagptCache(roots)) return {};
  return { [METAGPT_VARIABLE]: getMetagptValue(mode) };
}

/** Returns a placeholder for each missing provider key, because clients refuse to start without a key. */
function placeholderKeys(
  { deck }: Serving,
  env: Terminal["env"],
  { credentials }: OwnClients,
): Record<string, string> {
  const keys: Record<string, string> = {};
  const isThere = (variable: string): boolean => (env[variable] ?? "") !== "" || credentials.has(variable);
  for (const provider of listPlaceholderProviders(deck))
    for (const variable of listPlaceholderVariables(provider, isThere)) keys[variable] = PLACEHOLDER_KEY;
  // If keys for both OpenAI and Azure are set, openai-python's module client (openai.chat…) needs an API type.
  if (keys[AZURE_KEY] !== undefined && (env[API_TYPE] ?? "") === "") keys[API_TYPE] = "openai";
  return keys;
}

/**
 * Returns the placeholder keys of providers without recordings. No call to them is answered, so tests with mocks run
 * without these keys.
 */
function spareKeys(placed: Readonly<Record<string, string>>, { deck }: Serving): Record<string, string> {
  if (deck.team?.name !== undefined) return {};
  const recorded = listRecordedProviders(deck.dir);
  const needed = new Set(recorded.flatMap((name) => deck.providers.get(name)?.keyVariables ?? []));
  return Object.fromEntries(Object.entries(placed).filter(([name]) => !needed.has(name)));
}

/** Returns the variables without which the clients of recorded providers have no address. */
function neededVariables({ deck }: Serving): readonly string[] {
  return listRecordedProviders(deck.dir).flatMap((name) => {
    const { needsVariable = false, variables = [] } = deck.providers.get(name) ?? {};
    return needsVariable ? variables.map((variable) => variable.name) : [];
  });
}

const AZURE_KEY = "AZURE_OPENAI_API_KEY";
const API_TYPE = "OPENAI_API_TYPE";

/** Returns the folder of the hooks, which is beside the folder of this file, in the bundle as in the sources. */
export function findHooks(): string | undefined {
  const dir = join(import.meta.dirname, "..", "hooks");
  return existsSync(dir) ? dir : undefined;
}
