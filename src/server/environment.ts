import type { ProviderTable } from "../core/protocol/registry.ts";

/** The variables that point the providers' clients to an admitted run, e.g. OPENAI_BASE_URL. `url` is origin and token. */
export function getAddresses(url: string, providers: ProviderTable): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const name of providers.names) {
    const { variables: own = [], besides = [], isNamed } = providers.get(name) ?? {};
    for (const { name: variable, path } of own) {
      const isLeft = isNamed !== true && besides.some((one) => one.variable === variable);
      if (!isLeft) variables[variable] = `${url}/${name}${path}`;
    }
  }
  return variables;
}
