import { invalid } from "../../client/errors.ts";
import type { Environment } from "../../core/base/environment.ts";

interface ResolveContext {
  /** The setting, e.g. `llm.api_key`. */
  readonly where: string;
  readonly environment: Environment;
}

/** `${oc.env:NAME}` or `${oc.env:NAME,default}`; a default is a text, a quoted text, or another of these. */
const VARIABLE =
  /(?<!\\)\$\{\s*oc\.env:\s*([^\s,{}]+)\s*(?:,\s*('[^']*'|"[^"]*"|\$\{[^{}]*\}|[^,{}$'"]*?)\s*)?\}/g;

/**
 * Replaces the environment variables in a setting, as OmegaConf does. A default `null` alone gives null.
 * @throws ChatError "validation" for a variable that is not set, and for another interpolation
 */
export function resolveEnvironment(text: string, resolving: ResolveContext): string | null {
  const { where } = resolving;
  const found = [...text.matchAll(VARIABLE)];
  if (/\$\{[^}]*\}/.test(text.replaceAll(VARIABLE, "")))
    throw invalid(where, `has an interpolation that is not resolved: ${text}`);
  const [whole] = found;
  if (whole?.[0] === text) return valueOf(whole, resolving);
  return text.replaceAll(VARIABLE, (...match: string[]) => valueOf(match, resolving) ?? "None");
}

function valueOf([, name = "", fallback]: readonly string[], resolving: ResolveContext): string | null {
  const value = resolving.environment[name];
  if (typeof value === "string") return value;
  if (fallback === undefined || fallback === "???")
    throw invalid(
      resolving.where,
      `the environment variable ${name} is not set`,
      `Set ${name}, or give a default: \${oc.env:${name},default}.`,
    );
  if (fallback === "null") return null;
  return /^['"]/.test(fallback) ? fallback.slice(1, -1) : resolveEnvironment(fallback, resolving);
}
