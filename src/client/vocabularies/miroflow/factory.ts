import { invalid } from "../../errors.ts";
import { fieldsOf } from "../../../core/protocol/reading/lenient.ts";
import { stringIn } from "../../json/plain.ts";
import { anthropicProvider } from "./anthropic-provider.ts";
import { createMiroClient, type MiroClient, type MiroClientOptions } from "./client.ts";
import { openAiProvider } from "./openai-provider.ts";
import type { MiroProvider } from "./provider.ts";

const PROVIDERS: Readonly<Record<string, MiroProvider>> = {
  anthropic: anthropicProvider,
  openai: openAiProvider,
  qwen: openAiProvider,
};

/** The provider of a name; case counts. @throws ChatError "validation" */
export function providerOf(name: string, more: Readonly<Record<string, MiroProvider>> = {}): MiroProvider {
  const all = { ...PROVIDERS, ...more };
  const found = Object.hasOwn(all, name) ? all[name] : undefined;
  if (found !== undefined) return found;
  const text = `Unsupported provider: '${name}'. Supported providers are: ${Object.keys(all).sort().join(", ")}`;
  throw Object.assign(invalid("llm.provider", text), { message: text });
}

/** A client of the provider that the configuration names. `providers` adds further ones. */
export async function clientFactory(
  options: MiroClientOptions & { readonly providers?: Readonly<Record<string, MiroProvider>> },
): Promise<MiroClient> {
  const { provider } = fieldsOf(fieldsOf(options.cfg)["llm"]);
  return createMiroClient(
    providerOf(stringIn(provider) ?? JSON.stringify(provider ?? ""), options.providers),
    options,
  );
}
