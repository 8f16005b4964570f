import { PLACEHOLDER_KEY } from "../core/source/forward.ts";
import { existsSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Mode } from "../core/call.ts";
import { canLeaveMachine } from "../core/source/modes.ts";
import { hookEnvironment, isRestricted, withoutPreload } from "../hooks/environment.ts";
import type { Serving } from "./serving.ts";
import type { Terminal } from "./terminal.ts";

/** The environment of a command whose calls are to come here, and whose tests are to say who they are. */
export function childEnvironment(
  serving: Serving,
  mode: Mode,
  terminal: Terminal,
  command: readonly string[],
): NodeJS.ProcessEnv {
  const hooksDir = findHooks();
  const hooks =
    hooksDir === undefined
      ? {}
      : hookEnvironment({
          hooksDir,
          url: serving.admission.url,
          roots: serving.roots,
          base: terminal.env,
          delimiter,
        });
  const variables = {
    ...terminal.env,
    ...(canLeaveMachine(mode) ? {} : placeholderKeys(serving, terminal)),
    ...serving.env,
    TAPEDECK_URL: serving.admission.url,
    TAPEDECK_ROOTS: serving.roots.join(delimiter),
    ...hooks,
  };
  return isRestricted(command) ? withoutPreload(variables) : variables;
}

/**
 * A key for each provider of which the user has none: SDKs refuse to start without one. The first variable is
 * enough; some SDKs warn when they find two.
 */
function placeholderKeys({ deck }: Serving, terminal: Terminal): Record<string, string> {
  const keys: Record<string, string> = {};
  for (const name of deck.providers.names) {
    const variables = deck.providers.get(name)?.keyVariables ?? [];
    const [first] = variables;
    const hasKey = variables.some((variable) => (terminal.env[variable] ?? "") !== "");
    if (first !== undefined && !hasKey) keys[first] = PLACEHOLDER_KEY;
  }
  return keys;
}

/** The hooks lie beside the bundle, and one folder up from here in the sources. */
function findHooks(): string | undefined {
  const here = dirname(fileURLToPath(import.meta.url));
  return [join(here, "hooks"), join(here, "..", "hooks")].find((dir) => existsSync(dir));
}
