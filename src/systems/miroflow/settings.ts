import { invalid } from "../../client/errors.ts";
import { readFields, readString } from "../../core/base/lenient.ts";
import { resolveEnvironment } from "./environment.ts";
import { expectKeep } from "./retention.ts";
import { readEnvironmentVariables } from "../../client/environment.ts";
import type { Environment } from "../../core/base/environment.ts";

/** Settings that a client reads once, when it is created. */
export interface MiroSettings {
  readonly provider: string;
  readonly modelName: string;
  readonly temperature: number;
  readonly topP: number;
  readonly minP: number;
  /** −1 for none. */
  readonly topK: number;
  readonly maxContextLength: number;
  readonly maxTokens: number;
  readonly asyncClient: boolean;
  /** Number of tool results that are sent; −1 for all. */
  readonly keepToolResult: number;
  readonly apiKey: string | null;
  readonly baseUrl: string | null;
  readonly useToolCalls: boolean | null;
  readonly repetitionPenalty: number;
}

/**
 * Reads `{llm: {…}, agent: {keep_tool_result}}`; texts may have `${oc.env:NAME}` in them.
 * @throws ChatError "validation" that names the setting
 */
export function readSettings(
  cfg: unknown,
  environment: Environment = readEnvironmentVariables(),
): MiroSettings {
  const llm = readFields(readFields(cfg)["llm"]);
  const optional = (name: string): string | null => {
    const value = readString(llm[name]);
    return value === undefined ? null : resolveEnvironment(value, { where: `llm.${name}`, environment });
  };
  const text = (name: string): string => {
    const value = llm[name] === undefined ? undefined : optional(name);
    if (typeof value === "string") return value;
    throw invalid(`llm.${name}`, value === undefined ? "is missing" : "must be a text");
  };
  const number = (path: string, fallback?: number): number => {
    const [group = "", name = ""] = path.split(".");
    const given = readFields(readFields(cfg)[group])[name] ?? fallback;
    if (typeof given === "number" && Number.isFinite(given)) return given;
    throw invalid(path, given === undefined ? "is missing" : "must be a number");
  };
  const positive = (path: string): number => {
    const value = number(path);
    if (Number.isInteger(value) && value > 0) return value;
    throw invalid(path, `must be a whole number above 0, not ${value}`);
  };
  const { async_client: isAsync, use_tool_calls: useToolCalls } = llm;
  if (typeof isAsync !== "boolean") throw invalid("llm.async_client", "must be true or false");
  const keepToolResult = number("agent.keep_tool_result");
  expectKeep(keepToolResult);
  return {
    provider: text("provider"),
    modelName: text("model_name"),
    temperature: number("llm.temperature"),
    topP: number("llm.top_p"),
    minP: number("llm.min_p"),
    topK: number("llm.top_k"),
    maxContextLength: positive("llm.max_context_length"),
    maxTokens: positive("llm.max_tokens"),
    asyncClient: isAsync,
    keepToolResult,
    apiKey: optional("api_key"),
    baseUrl: optional("base_url"),
    useToolCalls: typeof useToolCalls === "boolean" ? useToolCalls : null,
    repetitionPenalty: number("llm.repetition_penalty", 1),
  };
}
