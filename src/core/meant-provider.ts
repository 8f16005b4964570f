import type { Call } from "./call.ts";
import type { ProviderTable } from "./protocol/registry.ts";
import { callWith } from "./secrets/redact-call.ts";

/**
 * OpenAI's client for Azure in JavaScript takes `OPENAI_BASE_URL` before `AZURE_OPENAI_ENDPOINT`, so that Azure's calls
 * and keys come to the name of OpenAI. Only Azure's have a version of the API in their query. Where the user gave
 * OpenAI an address of their own, that is where the client would have gone.
 * Source: openai-node `src/azure.ts`, 2026-11.
 */
export function meantProvider(call: Call, providers: ProviderTable): Call {
  if (call.origin !== undefined || call.provider !== "openai" || !call.path.includes("api-version="))
    return call;
  if (providers.get("openai")?.isUsersOwn === true || !/[?&]api-version=/.test(call.path)) return call;
  const path = call.path.startsWith("/openai/")
    ? call.path
    : `/openai${call.path.replace(/^\/v1(?=\/)/, "")}`;
  return callWith(call, { provider: "azure", path, body: call.body });
}
