import OpenAI, { AzureOpenAI } from "openai";
import { keyFor, type RequestLimits } from "../connection.ts";
import type { AzureConnection, OpenaiConnection, OpenaiSdk } from "./connection.ts";

/** Retries are a wrapper's matter: an SDK that tries again behind its back would count and wait twice. */
const ONCE = { maxRetries: 0 };

export function openaiSdk(connection: OpenaiConnection = {}): OpenaiSdk {
  if (connection.client !== undefined) return connection.client;
  const { fetch, baseURL, headers, organization, project, clientOptions } = connection;
  return new OpenAI({
    ...ONCE,
    apiKey: keyFor(connection, "OPENAI_API_KEY"),
    ...(fetch && { fetch }),
    ...(baseURL !== undefined && { baseURL }),
    ...(headers && { defaultHeaders: headers }),
    ...(organization !== undefined && { organization }),
    ...(project !== undefined && { project }),
    ...clientOptions,
  });
}

export const DEFAULT_AZURE_VERSION = "2024-10-21";

export function azureSdk(connection: AzureConnection = {}): OpenaiSdk {
  if (connection.client !== undefined) return connection.client;
  const { fetch, baseURL, headers, endpoint, apiVersion, deployment, clientOptions } = connection;
  const address =
    baseURL === undefined
      ? { endpoint: endpoint ?? process.env["AZURE_OPENAI_ENDPOINT"] ?? "" }
      : { baseURL };
  return new AzureOpenAI({
    ...ONCE,
    ...address,
    apiKey: keyFor(connection, "AZURE_OPENAI_API_KEY"),
    apiVersion: apiVersion ?? process.env["OPENAI_API_VERSION"] ?? DEFAULT_AZURE_VERSION,
    ...(fetch && { fetch }),
    ...(headers && { defaultHeaders: headers }),
    ...(deployment !== undefined && { deployment }),
    ...clientOptions,
  });
}

/** What the SDKs of OpenAI and Anthropic call the limits of a request. */
export function sdkOptions({ signal, timeoutMs, headers }: RequestLimits): object {
  return {
    ...(signal && { signal }),
    ...(timeoutMs !== undefined && { timeout: timeoutMs }),
    ...(headers && { headers }),
  };
}
