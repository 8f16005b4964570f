import OpenAI, { AzureOpenAI } from "openai";
import { type Connection, findKey } from "./connection.ts";
import { pickDefined } from "../../../core/base/pick-defined.ts";
import { readEnvironmentVariables } from "../../../client/environment.ts";

/** Disables the SDK's retries, because they would count and wait in addition to those of a wrapper. */
const ONCE = { maxRetries: 0 };

export function createOpenaiSdk(connection: OpenaiConnection = {}): OpenaiSdk {
  const { fetch, baseURL, headers, organization, project, clientOptions } = connection;
  return new OpenAI({
    ...ONCE,
    apiKey: findKey(connection, "OPENAI_API_KEY"),
    ...pickDefined({ fetch, baseURL, defaultHeaders: headers, organization, project }),
    ...clientOptions,
  });
}

const DEFAULT_AZURE_VERSION = "2024-10-21";

export function createAzureSdk(connection: AzureConnection = {}): OpenaiSdk {
  const { fetch, baseURL, headers, organization, project, clientOptions } = connection;
  const { endpoint, apiVersion, deployment } = connection;
  return new AzureOpenAI({
    ...ONCE,
    apiKey: findKey(connection, "AZURE_OPENAI_API_KEY"),
    apiVersion: apiVersion ?? readEnvironmentVariables()["OPENAI_API_VERSION"] ?? DEFAULT_AZURE_VERSION,
    // The SDK takes either option, or its own variable.
    ...pickDefined(baseURL === undefined ? { endpoint } : { baseURL }),
    ...pickDefined({ fetch, defaultHeaders: headers, organization, project, deployment }),
    ...clientOptions,
  });
}

/** The used part of the official client; any `OpenAI` or `AzureOpenAI` object fits. */
export interface OpenaiSdk {
  readonly chat: { readonly completions: { create(body: object, options?: object): PromiseLike<unknown> } };
  readonly responses: { create(body: object, options?: object): PromiseLike<unknown> };
}

export interface OpenaiConnection extends Connection {
  readonly organization?: string;
  readonly project?: string;
  /** Used unchanged. Pass the engine's fetch to it yourself. */
  readonly client?: OpenaiSdk;
}

export interface AzureConnection extends OpenaiConnection {
  /** Address of the resource. Default: AZURE_OPENAI_ENDPOINT. */
  readonly endpoint?: string;
  readonly apiVersion?: string;
  /** Name of the deployment, if it differs from the model's. */
  readonly deployment?: string;
}
