import { loadPeer, expectObject } from "../../client/check-options.ts";
import { invalid } from "../../client/errors.ts";
import type { Surroundings } from "../../client/surroundings.ts";
import type { TokenBudget } from "./budget.ts";
import {
  type GivenSettings,
  type LlmSettings,
  loadConfig,
  type ManusConfig,
  readSettings,
  type SettingSources,
} from "./settings.ts";
import { isSameJson } from "../../client/json/schema-check.ts";
import { type CountText, encodingFor, loadEncoding } from "./token-counter.ts";
import { LLM } from "./llm.ts";
import { type Completions, sdkCompletions } from "../../client/wire/completions.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";

export interface OpenManusOptions extends Omit<SettingSources, "file"> {
  /** The folder that contains `config/`. */
  readonly root: string;
  /** Default: the official SDK. */
  readonly connect?: ConnectLlm;
  /** Default: the tokenizer of the model. */
  readonly countText?: (model: string) => Promise<CountText> | CountText;
  /** Shared limit of all clients. By default, each client has its own limit. */
  readonly budget?: TokenBudget;
  readonly surroundings?: Partial<Surroundings>;
}

/** OpenManus in one process: reads the settings once, and has one client per name. */
export interface OpenManus {
  config(): Promise<ManusConfig>;
  /**
   * Returns the client of a name. A name that is not in the settings gets a separate client with those of "default".
   * Settings given here override all others, and apply at the first use of the name only.
   * @throws ChatError "validation" if a name in use is given other settings without `replace`
   */
  llm(name?: string, given?: GivenSettings, how?: { readonly replace?: boolean }): Promise<LLM>;
}

interface Entry {
  readonly llm: Promise<LLM>;
  readonly given: GivenSettings | undefined;
}

export function openManus(options: OpenManusOptions): OpenManus {
  expectObject(options, "options");
  const { connect = connectSdk(), countText = (model) => loadEncoding(encodingFor(model)) } = options;
  const clients = new Map<string, Entry>();
  let loading: Promise<ManusConfig> | undefined;
  // The first caller loads it; a failure is not cached.
  const config = (): Promise<ManusConfig> =>
    (loading ??= loadConfig(options).catch((error: unknown) => {
      loading = undefined;
      throw error;
    }));

  const create = async (name: string, given: GivenSettings | undefined): Promise<LLM> => {
    const { llm } = await config();
    const known = (Object.hasOwn(llm, name) ? llm[name] : undefined) ?? llm["default"];
    const settings = readSettings({ file: { llm: { ...known, ...given } } })["default"];
    if (settings === undefined) throw invalid("llm", "there are no default settings");
    return new LLM({
      settings,
      completions: await connect(settings),
      countText: await countText(settings.model),
      ...pickDefined({ budget: options.budget, surroundings: options.surroundings }),
    });
  };

  return {
    config,
    async llm(name = "default", given, { replace = false } = {}) {
      const known = clients.get(name);
      if (known !== undefined && !replace) {
        if (given === undefined || isSameJson(given, known.given)) return known.llm;
        throw invalid(
          "llm",
          `"${name}" is in use with other settings`,
          "Say { replace: true }, or use another name.",
        );
      }
      const llm = create(name, given);
      clients.set(name, { llm, given });
      llm.catch(() => {
        if (clients.get(name)?.llm === llm) clients.delete(name);
      });
      return llm;
    },
  };
}

export type ClientKind = "openai" | "azure" | "bedrock";

export function clientKind(given: Pick<LlmSettings, "api_type">): ClientKind {
  const { api_type: type } = given;
  if (type === "azure") return "azure";
  return type === "aws" ? "bedrock" : "openai";
}

/** Creates the sender of a client's requests from its settings. */
export type ConnectLlm = (settings: LlmSettings) => Promise<Completions>;

/**
 * Connects through the official OpenAI SDK (the package openai). Bedrock is reached through its OpenAI-compatible
 * endpoint, which `base_url` names. `fetch` is where requests go, e.g. that of a deck: `deck.fetch(run)`.
 */
export function connectSdk(options: { readonly fetch?: typeof globalThis.fetch } = {}): ConnectLlm {
  return async (settings) => {
    const { AzureOpenAI, OpenAI } = await loadPeer(() => import("openai"));
    const { api_key: apiKey, base_url: baseURL, api_version: apiVersion } = settings;
    // This client retries, so the SDK must not.
    const common = { apiKey, maxRetries: 0, ...pickDefined({ fetch: options.fetch }) };
    return sdkCompletions(
      clientKind(settings) === "azure"
        ? new AzureOpenAI({ ...common, baseURL, apiVersion })
        : new OpenAI({ ...common, baseURL }),
    );
  };
}
