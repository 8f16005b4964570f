import { readFields, type Fields } from "../../core/base/lenient.ts";
import { expectObject } from "../../client/check-options.ts";
import { realSurroundings, type Surroundings } from "../../client/surroundings.ts";
import type { ToolChoice } from "../../client/tool.ts";
import { expectSendable, readSendLimits, type Sendable } from "../../client/wire/expect-sendable.ts";
import { isStream } from "../../client/wire/completions.ts";
import { readStream, readWhole, type ProviderRules } from "./provider-reader.ts";
import { createResponse, streamResponses, type CallTime, type ReadOptions } from "./reading.ts";
import type { ChatResponse } from "./response.ts";
import type { StructuredModel } from "./structured.ts";
import { typeName } from "../../client/json/plain.ts";
import { chatError, invalid } from "../../client/errors.ts";

/**
 * Sends one request in the provider's format. Resolves to one object, or to a stream of objects if the request asks for
 * it. @throws errors of the SDK
 */
export type ChatTransport = (args: Fields, signal?: AbortSignal) => Promise<unknown>;

/** Options of a call. Messages, tools, and `generateKwargs` have the provider's format. */
export interface ModelCall {
  /** In OpenAI's format, `{ type: "function", function: { name, … } }`, for all providers. */
  readonly tools?: readonly unknown[] | null;
  /** "auto", "none", "required", or the name of a tool. */
  readonly toolChoice?: unknown;
  readonly structuredModel?: StructuredModel | null;
  /** Overrides the arguments of the model and of the call. */
  readonly generateKwargs?: Fields;
  readonly signal?: AbortSignal;
}

export interface ModelOptions {
  readonly modelName: string;
  readonly stream?: boolean;
  /** Arguments of all calls, in the provider's format. */
  readonly generateKwargs?: Fields | null;
  readonly surroundings?: Partial<Surroundings>;
}

export type ModelAnswer = ChatResponse | AsyncGenerator<ChatResponse, void, void>;

/**
 * A chat model, which only adapts a provider: without retries, fallbacks, caches, or prompt changes. Errors of the
 * provider's SDK pass unchanged, before or during a stream.
 */
export abstract class ChatModelBase {
  readonly modelName: string;
  readonly stream: boolean;
  protected readonly generateKwargs: Fields;
  protected readonly surroundings: Surroundings;
  protected readonly log: Surroundings["log"] = (entry) => this.surroundings.log(entry);

  protected constructor(options: ModelOptions, streams: boolean) {
    expectObject(options, "options");
    this.modelName = options.modelName;
    this.stream = options.stream ?? streams;
    this.generateKwargs = structuredClone(readFields(options.generateKwargs));
    this.surroundings = realSurroundings(options.surroundings);
  }

  /**
   * Calls the model. Each response of a stream contains everything so far; the last one has `is_last`.
   * @throws ChatError "validation" before anything is sent, and errors of the SDK
   */
  abstract call(messages: unknown, call?: ModelCall): Promise<ModelAnswer>;

  /** Checks a call. @throws ChatError "validation" for requests that no provider accepts */
  protected expectSendable(messages: unknown, { tools, generateKwargs }: ModelCall, more: More = {}): void {
    const args: Fields = { ...more.limits, ...this.generateKwargs, ...generateKwargs };
    const { mayBeEmpty = false } = more;
    expectSendable({
      messages,
      tools,
      toolChoice: args["tool_choice"],
      limits: readSendLimits(args),
      mayBeEmpty,
    });
  }

  /** Sends a request and converts the answer. Reads a structured answer only if the call asks for one. */
  protected async answer(
    reader: ProviderRules,
    { structuredModel }: ModelCall,
    given: { readonly [name in keyof ReadOptions]?: ReadOptions[name] | undefined },
    send: () => Promise<unknown>,
  ): Promise<ModelAnswer> {
    const time = this.timeNow();
    const { parseTools = true, audioFormat } = given;
    const structured = structuredModel ? given.structured : undefined;
    const reading: ReadOptions = { parseTools, structured, audioFormat, log: this.log };
    const answer = await send();
    if (isStream(answer)) return streamResponses(readStream(reader, answer, reading), time);
    return createResponse(readWhole(reader, readFields(answer), reading), time);
  }

  /**
   * Checks the further options of an SDK's client.
   * @throws ChatError "validation" for a name of the Python SDK, which the JavaScript SDK would ignore
   */
  protected expectClientOptions(given: Fields): Fields {
    const python = Object.keys(given).find((name) => name.includes("_"));
    if (python === undefined) return given;
    const name =
      RENAMED[python] ?? python.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    throw invalid(
      `clientKwargs.${python}`,
      "is an option of the Python SDK, and this client is made with the JavaScript SDK",
      `Use ${name} instead, as the JavaScript SDK documents it.`,
    );
  }

  protected timeNow(): CallTime {
    return { startedMs: this.surroundings.now(), surroundings: this.surroundings };
  }

  /** Returns the tool choice of a call. @throws ChatError "validation" */
  protected toolChoice(call: ModelCall): ToolChoice | undefined {
    return readToolChoice(call.toolChoice, call.tools, this.log);
  }

  /** Checks a tool choice. @throws ChatError "validation" unless it is a mode or the name of a tool */
  validateToolChoice(choice: unknown, tools?: unknown): ToolChoice {
    return checkToolChoice(choice, tools);
  }

  protected warn(message: string): void {
    this.log({ level: "warning", message });
  }
}

/** Options of Python's SDKs whose JavaScript name differs in more than camel case. */
const RENAMED: Readonly<Record<string, string>> = {
  azure_ad_token: "azureADTokenProvider",
  azure_ad_token_provider: "azureADTokenProvider",
  azure_deployment: "deployment",
  azure_endpoint: "endpoint",
  base_url: "baseURL",
  http_client: "fetch",
};

/** Additional checks for the requests of one model. */
type More = Pick<Sendable, "limits" | "mayBeEmpty">;

/** Whether an answer of `call` is a stream. */
export function isStreamed(answer: ModelAnswer): answer is AsyncGenerator<ChatResponse, void, void> {
  return isStream(answer);
}

export async function lastResponse(answer: ModelAnswer): Promise<ChatResponse | undefined> {
  if (!isStreamed(answer)) return answer;
  let last: ChatResponse | undefined;
  for await (const response of answer) last = response;
  return last;
}

const MODES = ["auto", "none", "required"] as const;

/**
 * Checks a tool choice, which is a mode or the name of a tool.
 * @throws ChatError "validation" for any other value
 */
export function checkToolChoice(choice: unknown, tools: unknown): ToolChoice {
  if (typeof choice !== "string")
    throw chatError("validation", `tool_choice must be str, got ${typeName(choice ?? null)}`, {
      where: "tool_choice",
    });
  const mode = MODES.find((one) => one === choice);
  if (mode !== undefined) return mode;
  const names = listToolNames(tools);
  if (names.includes(choice)) return { tool: choice };
  const options = [...MODES, ...names].sort();
  throw chatError("validation", `Invalid tool_choice '${choice}'. Available options: ${options.join(", ")}`, {
    where: "tool_choice",
  });
}

/** Returns the tool choice of a call. "any" means "required" and logs a warning; an empty one means none. */
export function readToolChoice(
  choice: unknown,
  tools: unknown,
  log: Surroundings["log"],
): ToolChoice | undefined {
  if (choice === undefined || choice === null || choice === "") return undefined;
  if (choice !== "any") return checkToolChoice(choice, tools);
  warnOfDeprecation(log, '"any" is deprecated and will be removed in a future version.');
  return "required";
}

/** Logs a deprecation. `step` is Python's category of the warning. */
export function warnOfDeprecation(log: Surroundings["log"], message: string): void {
  log({ level: "warning", step: "DeprecationWarning", message });
}

/** Returns the names of tools in order, without tools that have none. */
export function listToolNames(tools: unknown): string[] {
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool: unknown) => {
    const { name } = readFields(readFields(tool)["function"]);
    return typeof name === "string" ? [name] : [];
  });
}
