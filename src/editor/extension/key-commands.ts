import { keysNotIn } from "../../server/why-unreached.ts";
import { COMMANDS, type CommandTable } from "../window/ids.ts";
import { flashStatus, sayInformation } from "../window/messages.ts";
import { askSecret, pickOne } from "../window/picks.ts";
import { keyedProviders, type KeyedProvider, type ProviderKeys } from "../session/provider-keys.ts";
import { TEAM_KEY } from "../session/team-model.ts";
import type { Session } from "../session/session.ts";

/** Commands on the keys that Tapedeck hands to the runs it starts for recording. */
export function keyCommands(session: Session, keys: ProviderKeys) {
  return {
    [COMMANDS.setKey]: async (named) => {
      const chosen = await chooseKey(session, keys, named);
      if (chosen === undefined) return;
      const { name, label, has, about, stored } = chosen;
      const key = await askSecret({
        title: `Tapedeck: key of ${label}`,
        prompt: has ? `${about} Leave it empty to remove the stored key.` : about,
        mayBeEmpty: has,
      });
      if (key === undefined) return;
      const given = key.trim();
      await keys.set(name, given === "" ? undefined : given);
      if (given === "") flashStatus("key", `Key of ${label} removed`);
      else void sayInformation(stored);
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

interface ChosenKey {
  /** A provider's name, or that of the team's cache. */
  readonly name: string;
  readonly label: string;
  readonly has: boolean;
  /** Where the key is kept, and who gets it. */
  readonly about: string;
  /** What to say once it is stored. */
  readonly stored: string;
}

const TEAM_ABOUT =
  "Kept among VS Code's secrets. Recordings that are not signed with it are not used; no run gets it.";

async function chooseKey(
  session: Session,
  keys: ProviderKeys,
  named: unknown,
): Promise<ChosenKey | undefined> {
  const providers = keyedProviders(session);
  const choices = [
    ...providers.map((provider) => ({
      name: provider.name,
      variables: provider.variables,
      about: `Kept in VS Code's secret storage; given as ${provider.variables[0]} to the runs that record, and to no others.`,
      stored: storedText(provider),
    })),
    { name: TEAM_KEY, variables: [], about: TEAM_ABOUT, stored: "The team's key is stored." },
  ];
  const items = await Promise.all(
    choices.map(async (choice) => {
      const { name, variables } = choice;
      const has = (await keys.get(name)) !== undefined;
      const isSet = variables.length > 0 && keysNotIn(process.env, [variables]).length === 0;
      const state = has ? "stored by Tapedeck" : isSet ? "set where VS Code was started" : "";
      const label = name === TEAM_KEY ? "the team's cache" : name;
      return { label, description: [variables[0], state].filter(Boolean).join(" · "), ...choice, has };
    }),
  );
  const isNamed = ({ name, variables }: (typeof items)[number]): boolean =>
    name === named || variables.some((one) => one === named);
  return items.find(isNamed) ?? pickOne(items, { placeholder: "Whose key?", matchOnDescription: true });
}
