import { fieldsOf, type Fields } from "../../core/base/lenient.ts";
import { expectObject } from "../../client/check-options.ts";
import { realSurroundings, type Surroundings } from "../../client/surroundings.ts";
import type { ToolChoice } from "../../client/tool.ts";
import { expectSendable, limitsIn, type Sendable } from "../../client/wire/expect-sendable.ts";
import { isStream } from "../../client/adapters/adapter.ts";
import {
  readStream,
  responseOf,
  streamResponses,
  type CallTime,
  type ProviderReader,
  type Reading,
} from "./reading.ts";
import type { ChatResponse } from "./response.ts";
import type { StructuredModel } from "./structured.ts";
import { typeName } from "../../client/json/plain.ts";
import { chatError, invalid } from "../../client/errors.ts";

/**
 * Sends one request in the provider's own words. The answer is one object, or a stream of them where the request asks
 * for one. Throws what the SDK throws.
 */
export type ChatTransport = (args: Fields, signal?: AbortSignal) => Promise<unknown>;

/** What a call may say beside its messages. Messages, tools and `generateKwargs` are in the provider's own words. */
export interface ModelCall {
  /** OpenAI's form, `{ type: "function", function: { name, … } }`, for every provider. */
  readonly tools?: readonly unknown[] | null;
  /** "auto", "none", "required", or the name of a tool. */
  readonly toolChoice?: unknown;
  readonly structuredModel?: StructuredModel | null;
  /** Laid over what the model was made with; may replace any argument. */
  readonly generateKwargs?: Fields;
  readonly signal?: AbortSignal;
}

export interface ModelOptions {
  readonly modelName: string;
  readonly stream?: boolean;
  /** Arguments of every call, in the provider's own words. */
  readonly generateKwargs?: Fields | null;
  readonly surroundings?: Partial<Surroundings>;
}

export type ModelAnswer = ChatResponse | AsyncGenerator<ChatResponse, void, void>;

/**
 * A chat model: an adapter and no more. It does not retry, fall back, cache or word prompts, and the errors of the
 * provider's SDK come out as they are, before a stream or in the middle of it.
 */
export abstract class ChatModelBase {
  readonly modelName: string;
  readonly stream: boolean;
  protected readonly generateKwargs: Fields;
  protected readonly surroundings: Surroundings;

  protected constructor(options: ModelOptions, streams: boolean) {
    expectObject(options, "options");
    this.modelName = options.modelName;
    this.stream = options.stream ?? streams;
    this.generateKwargs = structuredClone(fieldsOf(options.generateKwargs));
    this.surroundings = realSurroundings(options.surroundings);
  }

  /**
   * Asks the model. Streams answer with everything so far each time, and with one last response that is marked
   * `is_last`. @throws ChatError "validation" before anything is sent; else what the SDK throws.
   */
  abstract call(messages: unknown, call?: ModelCall): Promise<ModelAnswer>;

  /** @throws ChatError "validation" for what no provider takes */
  protected expectSendable(messages: unknown, { tools, generateKwargs }: ModelCall, more: More = {}): void {
    const args: Fields = { ...more.limits, ...this.generateKwargs, ...generateKwargs };
    const { mayBeEmpty = false } = more;
    expectSendable({ messages, tools, toolChoice: args["tool_choice"], limits: limitsIn(args), mayBeEmpty });
  }

  /** Sends, and makes responses of the answer. A structured one is looked for only where the call asks for it. */
  protected async answer(
    reader: ProviderReader,
    { structuredModel }: ModelCall,
    { parseTools = true, structured }: { parseTools?: boolean | undefined; structured: "text" | "tool" },
    send: () => Promise<unknown>,
  ): Promise<ModelAnswer> {
    const time = this.timeNow();
    const wanted = structuredModel ? structured : undefined;
    const reading: Reading = { parseTools, structured: wanted, log: (entry) => this.surroundings.log(entry) };
    const answer = await send();
    if (isStream(answer)) return streamResponses(readStream(reader, answer, reading), time);
    return responseOf(reader.whole(fieldsOf(answer), reading), time);
  }

  /**
   * The further options of an SDK's client.
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

  /** A tool choice as the call gave it. @throws ChatError "validation" */
  protected toolChoice(call: ModelCall): ToolChoice | undefined {
    return givenToolChoice(call.toolChoice, call.tools, (entry) => this.surroundings.log(entry));
  }

  /** @throws ChatError "validation" for what is no text, no mode and no tool's name. */
  validateToolChoice(choice: unknown, tools?: unknown): ToolChoice {
    return checkedToolChoice(choice, tools);
  }

  protected warn(message: string): void {
    this.surroundings.log({ level: "warning", message });
  }
}

/** Options of Python's SDKs that have another name in JavaScript, beyond the capital letters. */
const RENAMED: Readonly<Record<string, string>> = {
  azure_ad_token: "azureADTokenProvider",
  azure_ad_token_provider: "azureADTokenProvider",
  azure_deployment: "deployment",
  azure_endpoint: "endpoint",
  base_url: "baseURL",
  http_client: "fetch",
};

/** What one model's requests have beside those of others. */
type More = Pick<Sendable, "limits" | "mayBeEmpty">;

/** Whether a model streams its answer; narrows what `call` resolved to. */
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
 * What is left of a tool choice once it was checked: a mode, or the name of one of the tools.
 * @throws ChatError "validation" for what is no text, no mode and no tool.
 */
export function checkedToolChoice(choice: unknown, tools: unknown): ToolChoice {
  if (typeof choice !== "string")
    throw chatError("validation", `tool_choice must be str, got ${typeName(choice ?? null)}`, {
      where: "tool_choice",
    });
  const mode = MODES.find((one) => one === choice);
  if (mode !== undefined) return mode;
  const names = toolNames(tools);
  if (names.includes(choice)) return { tool: choice };
  const options = [...MODES, ...names].sort();
  throw chatError("validation", `Invalid tool_choice '${choice}'. Available options: ${options.join(", ")}`, {
    where: "tool_choice",
  });
}

/** The choice of a call: "any" means "required" and is warned about; an empty one is no choice. */
export function givenToolChoice(
  choice: unknown,
  tools: unknown,
  log: Surroundings["log"],
): ToolChoice | undefined {
  if (choice === undefined || choice === null || choice === "") return undefined;
  if (choice !== "any") return checkedToolChoice(choice, tools);
  warnOfDeprecation(log, '"any" is deprecated and will be removed in a future version.');
  return "required";
}

/** Tells of something that will not be there for ever; `step` is what Python calls the kind of a warning. */
export function warnOfDeprecation(log: Surroundings["log"], message: string): void {
  log({ level: "warning", step: "DeprecationWarning", message });
}

/** The names of those tools that have one, in order. */
export function toolNames(tools: unknown): string[] {
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool: unknown) => {
    const { name } = fieldsOf(fieldsOf(tool)["function"]);
    return typeof name === "string" ? [name] : [];
  });
}
