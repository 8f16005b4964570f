import { keysNotIn } from "../../server/why-unreached.ts";
import { COMMANDS, type CommandTable } from "../window/ids.ts";
import { flashStatus, sayInformation } from "../window/messages.ts";
import { askSecret, pickOne } from "../window/picks.ts";
import { keyedProviders, type KeyedProvider, type ProviderKeys } from "./provider-keys.ts";
import type { Session } from "./session.ts";

/** Commands on the keys that Tapedeck hands to the runs it starts for recording. */
export function keyCommands(session: Session, keys: ProviderKeys) {
  return {
    [COMMANDS.setKey]: async (named) => {
      const provider = await chooseProvider(session, keys, {
        named,
        placeholder: "Whose key?",
        isKept: false,
      });
      if (provider === undefined) return;
      const key = await askSecret({
        title: `Tapedeck: key of ${provider.name}`,
        prompt: `Kept in VS Code's secret storage; given as ${provider.variables[0]} to the runs that record, and to no others.`,
      });
      if (key === undefined) return;
      await keys.set(provider.name, key.trim());
      void sayInformation(storedText(provider));
    },
    [COMMANDS.removeKey]: async (named) => {
      const provider = await chooseProvider(session, keys, {
        named,
        placeholder: "Remove whose key?",
        isKept: true,
      });
      if (provider === undefined) return;
      await keys.set(provider.name, undefined);
      flashStatus("key", `Key of ${provider.name} removed`);
    },
  } satisfies Partial<CommandTable>;
}

/** A key that is set where VS Code was started comes first: a person who gave another one has to know that. */
function storedText({ name, variables }: KeyedProvider): string {
  const isSet = keysNotIn(process.env, [variables]).length === 0;
  const use = isSet
    ? `${variables[0]} is also set where VS Code was started, and that key is used.`
    : "Runs that record use it. Record the test again to try it.";
  return `The key of ${name} is stored. ${use}`;
}

interface Choice {
  /** A provider's name, or a variable of its key, where a link or a quick fix says it. */
  readonly named: unknown;
  readonly placeholder: string;
  /** Only those of which a key is kept. */
  readonly isKept: boolean;
}

async function chooseProvider(
  session: Session,
  keys: ProviderKeys,
  { named, placeholder, isKept }: Choice,
): Promise<KeyedProvider | undefined> {
  const all = keyedProviders(session);
  const known = all.find(({ name, variables }) => name === named || variables.some((one) => one === named));
  if (known) return known;
  const items = await Promise.all(
    all.map(async (provider) => {
      const has = (await keys.get(provider.name)) !== undefined;
      const isSet = keysNotIn(process.env, [provider.variables]).length === 0;
      const state = has ? "stored by Tapedeck" : isSet ? "set where VS Code was started" : "";
      return {
        label: provider.name,
        description: [provider.variables[0], state].filter(Boolean).join(" · "),
        has,
        provider,
      };
    }),
  );
  const offered = isKept ? items.filter(({ has }) => has) : items;
  if (offered.length === 0) {
    void sayInformation("Tapedeck stores no key.");
    return undefined;
  }
  return (await pickOne(offered, { placeholder, matchOnDescription: true }))?.provider;
}
