import { noteSecrets } from "../../storage/local/own-scanner.ts";
import type { Deck } from "../../deck/deck.ts";
import type { RunOptions } from "./session-runs.ts";
import { listCredentialVariables } from "../../core/protocol/providers.ts";
import { canLeaveMachine } from "../../core/call/call.ts";

/**
 * Keys that a person gave to Tapedeck, by provider: secrets of VS Code's, in no setting and no file. Those that were
 * asked for are found in whatever is recorded.
 */
export type ProviderKeys = ReturnType<typeof createProviderKeys>;

/** VS Code's secret storage, which all windows share. */
interface Secrets {
  get(name: string): PromiseLike<string | undefined>;
  store(name: string, value: string): PromiseLike<void>;
  delete(name: string): PromiseLike<void>;
}

export function createProviderKeys(secrets: Secrets) {
  const secretName = (provider: string): string => `tapedeck.key.${provider}`;
  return {
    async get(provider: string) {
      const key = await secrets.get(secretName(provider));
      if (key !== undefined) noteSecrets([key]);
      return key;
    },
    async set(provider: string, key: string | undefined) {
      if (key === undefined) return secrets.delete(secretName(provider));
      noteSecrets([key]);
      await secrets.store(secretName(provider), key);
    },
  };
}

/** A provider and the variables of its key; the first one is what its SDK asks for. */
export interface KeyedProvider {
  readonly name: string;
  readonly variables: readonly string[];
}

export function listKeyedProviders({
  deck: { providers },
}: {
  readonly deck: Pick<Deck, "providers">;
}): readonly KeyedProvider[] {
  return providers.names
    .map((name) => ({ name, variables: listCredentialVariables(providers.get(name)) }))
    .filter(({ variables }) => variables.length > 0);
}

/**
 * Adds the stored key of each provider whose variables a run's environment lacks. Runs in strict and lenient mode, which
 * send nothing, get no keys.
 */
export async function withKeys(
  environment: Readonly<Record<string, string>>,
  { mode, overrides }: Pick<RunOptions, "mode" | "overrides">,
  { keys, providers }: { readonly keys: ProviderKeys; readonly providers: readonly KeyedProvider[] },
): Promise<Record<string, string>> {
  const added: Record<string, string> = {};
  if (![mode, ...(overrides?.values() ?? [])].some(canLeaveMachine)) return { ...environment };
  for (const { name, variables } of providers) {
    const [first] = variables;
    if (first === undefined || variables.some((variable) => (environment[variable] ?? "") !== "")) continue;
    // A keyring that refuses is as good as one without the key.
    const key = await keys.get(name).catch(() => undefined);
    if (key !== undefined && key !== "") added[first] = key;
  }
  return { ...environment, ...added };
}
