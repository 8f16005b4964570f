import { isDeepStrictEqual } from "node:util";
import {
  OpenAIChatModel,
  type ChatModelBase,
  type ChatResponse,
} from "../../../src/systems/agentscope/index.ts";
import { isChatError } from "../../../src/client/errors.ts";
import { MODELS, camel, type CallOutcome } from "./golden-words.ts";

export interface Outcome {
  readonly seen: CallOutcome;
  readonly model: ChatModelBase | undefined;
  readonly sent: readonly unknown[];
  readonly structured: string | undefined;
  readonly warnings: readonly string[];
  readonly log: readonly unknown[];
}

/** What we saw, written as a row writes it. The one last response of a stream is ours alone. */
export function readOutcome({ seen, model, sent, structured, warnings, log }: Outcome): unknown {
  const whole = seen.streaming === undefined;
  const told = seen.responses.filter(({ is_last }) => is_last === undefined);
  return {
    ...(!whole && { streaming: seen.streaming, responses: told.map(shownResponse) }),
    ...(seen.error !== undefined && { error: shownError(seen.error) }),
    ...(model instanceof OpenAIChatModel && { fallback_latched: model.structuredFallback }),
    requests: sent.map((request) => shownRequest(request, structured)),
    warnings,
    log,
  };
}

function shownResponse({ usage, ...response }: ChatResponse): unknown {
  return {
    ...response,
    id: /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}_[0-9a-f]{6}$/.test(response.id) ? "$generated" : response.id,
    created_at: /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}$/.test(response.created_at)
      ? "$now"
      : response.created_at,
    usage: usage && {
      ...usage,
      time: typeof usage.time === "number" ? "$seconds" : usage.time,
      metadata: usage.metadata === null ? null : "$raw usage object",
    },
  };
}

function shownError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  return { type: isChatError(error) ? error.kind : error.constructor.name, message: error.message };
}

function shownRequest(request: unknown, structured: string | undefined): unknown {
  const { response_format, ...rest } = request as Record<string, unknown>;
  const config = rest["config"] as Record<string, unknown> | undefined;
  const model = MODELS[structured ?? ""]?.schema;
  // The official client makes this of the class that the original passes.
  const json_schema = { name: structured, schema: model, strict: false };
  const isOfModel = isDeepStrictEqual(response_format, { type: "json_schema", json_schema });
  return {
    ...rest,
    ...(response_format !== undefined && {
      response_format: isOfModel ? `$class ${structured}` : response_format,
    }),
    ...(config?.["responseSchema"] !== undefined && {
      config: {
        ...config,
        responseSchema: isDeepStrictEqual(config["responseSchema"], model)
          ? `$class ${structured}`
          : config["responseSchema"],
      },
    }),
  };
}

/** Python's kinds of errors, as ours. */
const KINDS: Readonly<Record<string, string>> = {
  ValueError: "validation",
  TypeError: "validation",
  AssertionError: "validation",
  RuntimeError: "status",
};

/** Both sides with values and types shown in one way: by their JSON names, without blanks, in the SDK's spelling. */
export function comparable(value: unknown): unknown {
  if (typeof value === "string") return comparableText(value);
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== "object" || value === null) return value;
  const fields = value as Record<string, unknown>;
  if ("type" in fields && "message" in fields && Object.keys(fields).length === 2)
    return { type: KINDS[String(fields["type"])] ?? fields["type"], message: comparable(fields["message"]) };
  return Object.fromEntries(
    Object.entries(fields).map(([name, item]) => [name, name === "config" ? spelt(item) : comparable(item)]),
  );
}

function spelt(config: unknown): unknown {
  if (Array.isArray(config)) return config.map(spelt);
  if (typeof config !== "object" || config === null) return config;
  return Object.fromEntries(Object.entries(config).map(([name, item]) => [camel(name), spelt(item)]));
}

function comparableText(text: string): string {
  const named = text
    .replaceAll("<class 'int'>", "number")
    .replaceAll("<class 'str'>", "string")
    .replaceAll("<class 'dict'>", "object")
    .replaceAll("NoneType", "null");
  return named.replace(/\{'.*\}|\{".*\}|\['.*'\]|\[".*"\]/s, (shown) =>
    shown.replaceAll("'", '"').replaceAll("None", "null").replaceAll(/\s/g, ""),
  );
}
