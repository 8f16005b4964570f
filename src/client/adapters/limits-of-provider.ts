import { invalid, type ChatError } from "../errors.ts";
import type { ChatSettings } from "../request.ts";

/** What a provider cannot do, and where it was asked for. */
export function cannot(provider: string, where: string, what: string, hint?: string): ChatError {
  return invalid(where, `${provider} cannot ${what}`, hint);
}

/** Refuses the settings that a provider has no word for, by name. @throws ChatError "validation" */
export function refuseSettings(
  provider: string,
  settings: ChatSettings | undefined,
  names: readonly (keyof ChatSettings)[],
): void {
  const asked = names.find((name) => settings?.[name] !== undefined);
  if (asked !== undefined)
    throw cannot(provider, `settings.${asked}`, `take ${asked}`, "Leave it out for this provider.");
}
