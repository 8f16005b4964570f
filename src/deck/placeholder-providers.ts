import type { Provider } from "../core/protocol/base/protocol.ts";
import { listRecordedProviders } from "../storage/folder/recorded-providers.ts";
import type { Deck } from "./deck.ts";

/**
 * The providers whose clients get a placeholder where the user has no key. One that programs choose by its key is among
 * them only where its calls are recorded, so that a strict run calls whom the recorded one called.
 */
export function listPlaceholderProviders({
  dir,
  providers,
  team,
}: Pick<Deck, "dir" | "providers" | "team">): readonly Provider[] {
  const all = providers.names.flatMap((name) => providers.get(name) ?? []);
  if (team?.name !== undefined) return all;
  const recorded = listRecordedProviders(dir);
  return all.filter(({ name, isChosenByKey = false }) => !isChosenByKey || recorded.includes(name));
}
