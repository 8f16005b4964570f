import { httpProtocol } from "./base/http.ts";
import type { WireReply } from "../call/call.ts";
import { explain, type TapedeckError } from "../base/errors.ts";
import { encodeUtf8 } from "../base/wire/text.ts";
import { anthropicCountTokens, anthropicMessages } from "./anthropic/protocol.ts";
import { bedrockConverse, bedrockConverseStream } from "./bedrock/converse-protocol.ts";
import { bedrockCountTokens, bedrockInvoke, bedrockInvokeStream } from "./bedrock/invoke-protocol.ts";
import { cohereChat } from "./cohere/chat-protocol.ts";
import { dashscopeGenerations } from "./dashscope/protocol.ts";
import { geminiInteractions, geminiInteractionsRelated } from "./gemini/interactions.ts";
import { geminiCountTokens, geminiGenerate, geminiStreamGenerate } from "./gemini/protocol.ts";
import { mistralAgents, mistralFim } from "./mistral/completions.ts";
import { ollamaChat } from "./ollama/chat.ts";
import { ollamaGenerate } from "./ollama/generate.ts";
import { openaiChat } from "./openai/chat/protocol.ts";
import { openaiCompletions } from "./openai/completions.ts";
import { openaiResponses, openaiResponsesRelated } from "./openai/responses/protocol.ts";
import {
  ANTHROPIC_CODES,
  BEDROCK_CODES,
  getFailureCode,
  type FailureCodes,
  GEMINI_CODES,
  OPENAI_CODES,
} from "./failure-codes.ts";
import type { Dialect, Protocol } from "./base/protocol.ts";
import { listening, speech } from "./table/audio.ts";
import { classifications, detokenize, moderations, ocr, rerank, tokenize } from "./table/judged.ts";
import { BATCHES, CONVERSATIONS, MESSAGE_BATCHES, MODELS_AND_FILES } from "./table/kept.ts";
import { ANTHROPIC_RESOURCES, BEDROCK_RESOURCES, DASHSCOPE_RESOURCES } from "./table/stored.ts";
import { GEMINI_RESOURCES } from "./table/google.ts";
import { DECISIONS, OPENAI_RESOURCES } from "./table/resources.ts";
import { cohereChatV1, mistralConversations } from "./table/other-chats.ts";
import { images } from "./table/pictures.ts";
import { createProtocol } from "./table/row.ts";
import { GEMINI_SESSIONS, OPENAI_SESSIONS } from "./table/sessions.ts";
import {
  cohereEmbed,
  geminiBatchEmbed,
  geminiEmbed,
  ollamaEmbed,
  ollamaEmbeddings,
  openaiEmbeddings,
} from "./table/vectors.ts";
import { xaiChat, xaiDeferred } from "./xai.ts";

/** Formats the code and the text (message and hint) of a failure as a provider's error. */
type ErrorShape = (code: string, message: string, status: number) => object;

function dialect(
  name: string,
  operations: readonly Protocol[],
  shape: ErrorShape,
  codes: FailureCodes = OPENAI_CODES,
): Dialect {
  const wordError = (status: number, code: string, message: string): WireReply => ({
    status,
    headers: [["content-type", "application/json"]],
    body: encodeUtf8(JSON.stringify(shape(code, message, status))),
  });
  return {
    name,
    operations,
    refuse: (error) => wordError(error.status, error.code, explain(error)),
    fail: (status, message) => wordError(status, getFailureCode(codes, status), message),
  };
}

/** Replaces 5xx statuses by 424 (failed dependency), for clients that retry a 5xx. */
function withoutRetries(retried: Dialect): Dialect {
  const statusOf = ({ status }: TapedeckError): number => (status >= 500 ? 424 : status);
  return { ...retried, refuse: (error) => ({ ...retried.refuse(error), status: statusOf(error) }) };
}

const conversations = CONVERSATIONS.map(createProtocol);
const batches = BATCHES.map(createProtocol);
const modelsAndFiles = MODELS_AND_FILES.map(createProtocol);

/** Operations of OpenAI and compatible providers, the most frequent first. */
const OPENAI: readonly Protocol[] = [
  openaiChat,
  openaiResponses,
  openaiEmbeddings,
  openaiCompletions,
  ...openaiResponsesRelated,
  ...images,
  speech,
  ...listening,
  moderations,
  ...conversations,
  ...batches,
  ...modelsAndFiles,
  ...OPENAI_SESSIONS,
];

/** Operations that providers of other dialects offer to OpenAI's clients. */
const COMPATIBLE = [openaiChat, openaiResponses, openaiEmbeddings, openaiCompletions];

function replaceOperation(operation: Protocol, by: Protocol): readonly Protocol[] {
  return OPENAI.map((one) => (one === operation ? by : one));
}

/** Source: platform.openai.com/docs/guides/error-codes, 2026-11. */
const openaiError: ErrorShape = (code, message) => ({ error: { message, type: code, param: null, code } });

const decisions = createProtocol(DECISIONS);

/** Also of Moonshot, whose API is identical. */
const ALL_OF_OPENAI = [...OPENAI, decisions, ...OPENAI_RESOURCES.map(createProtocol)];

/** The operations that the extension makes of the calls of `vscode.lm`. */
const VSCODE = new Set(["chat.completions", "responses.input_tokens"]);

/**
 * A provider that is known only by its host. The path determines the operation. Failures have all the members
 * that the clients of OpenAI, Anthropic, Gemini, Cohere, and AWS look for.
 */
const hostDialect = withoutRetries(
  dialect(
    "http",
    [
      ...OPENAI,
      anthropicMessages,
      anthropicCountTokens,
      geminiGenerate,
      geminiStreamGenerate,
      geminiEmbed,
      geminiBatchEmbed,
      geminiCountTokens,
      ...GEMINI_SESSIONS,
      bedrockConverse,
      bedrockConverseStream,
      bedrockInvoke,
      bedrockInvokeStream,
      ollamaChat,
      ollamaGenerate,
      ollamaEmbed,
      rerank,
    ],
    (code, message) => ({
      type: "error",
      error: { message, type: code, param: null, code, status: code },
      message,
      __type: code,
    }),
  ),
);

export const DIALECTS = {
  openai: dialect("openai", ALL_OF_OPENAI, openaiError),
  moonshot: dialect("moonshot", ALL_OF_OPENAI, openaiError),
  vscode: dialect(
    "vscode",
    OPENAI.filter(({ operation }) => VSCODE.has(operation)),
    openaiError,
  ),
  /** A provider that is known only by its address. Most private servers use OpenAI's error format. */
  http: dialect("http", [], openaiError),

  /** Anthropic. Source of the error shape: docs.anthropic.com/en/api/errors, 2026-11. */
  anthropic: dialect(
    "anthropic",
    [
      anthropicMessages,
      anthropicCountTokens,
      ...MESSAGE_BATCHES.map(createProtocol),
      ...ANTHROPIC_RESOURCES.map(createProtocol),
      ...modelsAndFiles,
    ],
    (type, message) => ({ type: "error", error: { type, message } }),
    ANTHROPIC_CODES,
  ),

  /** Gemini's errors carry their code as `status`. Source: ai.google.dev/gemini-api/docs/troubleshooting, 2026-11. */
  gemini: dialect(
    "gemini",
    [
      geminiGenerate,
      geminiStreamGenerate,
      geminiInteractions,
      geminiEmbed,
      geminiBatchEmbed,
      geminiCountTokens,
      ...geminiInteractionsRelated,
      ...COMPATIBLE,
      ...GEMINI_SESSIONS,
      decisions,
      ...GEMINI_RESOURCES.map(createProtocol),
      ...images,
      ...batches,
      ...modelsAndFiles.filter(({ operation }) => operation.startsWith("files.")),
    ],
    (status, message, code) => ({ error: { code, message, status } }),
    GEMINI_CODES,
  ),

  /** Ollama's client shows the text under `error`. Source: ollama-js `utils.ts`, 2026-11. */
  ollama: dialect(
    "ollama",
    [ollamaChat, ollamaGenerate, ollamaEmbed, ollamaEmbeddings, ...COMPATIBLE],
    (code, message) => ({ error: message, code }),
  ),

  /**
   * The AWS clients read the name of an error from `__type`, and retry 500, 502, 503, and 504.
   * Sources: smithy.io/2.0/aws/protocols/aws-restjson1-protocol.html#operation-error-serialization and
   * docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html, 2026-11.
   */
  bedrock: withoutRetries(
    dialect(
      "bedrock",
      [
        bedrockConverse,
        bedrockConverseStream,
        bedrockInvoke,
        bedrockInvokeStream,
        bedrockCountTokens,
        ...COMPATIBLE,
        ...BEDROCK_RESOURCES.map(createProtocol),
      ],
      (code, message) => ({ __type: code, message }),
      BEDROCK_CODES,
    ),
  ),

  /**
   * Cohere's clients show the text under `message`, and retry 408, 429, and 5xx.
   * Source: docs.cohere.com/reference/errors and cohere-python 5 `core/http_client.py`, 2026-11.
   */
  cohere: withoutRetries(
    dialect(
      "cohere",
      [cohereChat, cohereEmbed, rerank, cohereChatV1, tokenize, detokenize, ...COMPATIBLE],
      (code, message) => ({ message, code }),
    ),
  ),

  /**
   * DashScope's native API and its OpenAI-compatible one have different error formats; this one fits both. Anthropic's
   * clients are served under `/apps/anthropic/v1/messages`.
   * Source of the error shape: help.aliyun.com/zh/model-studio/error-code, 2026-11.
   */
  dashscope: dialect(
    "dashscope",
    [
      ...dashscopeGenerations,
      ...COMPATIBLE,
      anthropicMessages,
      ...openaiResponsesRelated,
      ...conversations,
      ...batches,
      ...modelsAndFiles,
      decisions,
      ...DASHSCOPE_RESOURCES.map(createProtocol),
    ],
    (code, message, status) => ({
      code,
      message,
      request_id: "tapedeck",
      ...openaiError(code, message, status),
    }),
  ),

  /**
   * Mistral's errors have no envelope; one is added for OpenAI's SDK, which can call Mistral too.
   * Its conversations differ from OpenAI's. Sources: docs.mistral.ai/api, mistralai/client-python, 2026-11.
   */
  mistral: dialect(
    "mistral",
    [
      ...OPENAI.filter((operation) => !conversations.includes(operation)),
      mistralFim,
      mistralAgents,
      mistralConversations,
      classifications,
      ocr,
    ],
    (code, message, status) => {
      const envelope = openaiError(code, message, status);
      return { object: "error", message, type: code, param: null, code, ...envelope };
    },
  ),

  /**
   * OpenRouter's codes are HTTP statuses; Anthropic's clients are served under `/api/v1/messages`.
   * Sources: openrouter.ai/docs/api/reference/errors, openrouter typescript-sdk `funcs`, 2026-11.
   */
  openrouter: dialect("openrouter", [...OPENAI, anthropicMessages, rerank], (type, message, code) => ({
    error: { code, message, type, metadata: { tapedeck: type } },
  })),

  /**
   * DeepSeek serves Anthropic's clients under `/anthropic/v1/messages`; beta operations are under `/beta`. While a request
   * is queued, it sends comments, or empty lines before the JSON. Sources: api-docs.deepseek.com/guides/anthropic_api and
   * /quick_start/rate_limit, 2026-11.
   */
  deepseek: dialect("deepseek", [...OPENAI, anthropicMessages], openaiError),

  /** xAI has deferred chats and serves Anthropic's clients. Source: docs.x.ai/docs/api-reference, 2026-11. */
  xai: dialect(
    "xai",
    [...replaceOperation(openaiChat, xaiChat), xaiDeferred, anthropicMessages],
    openaiError,
  ),

  /** Together ranks documents with Cohere's API. Source: together-python `resources/rerank`, 2026-11. */
  together: dialect("together", [...OPENAI, rerank], openaiError),

  /** Source: @cerebras/cerebras_cloud_sdk 1.91 `resources/` and inference-docs.cerebras.ai/api-reference, 2026-11. */
  cerebras: dialect("cerebras", [openaiChat, openaiCompletions, ...batches, ...modelsAndFiles], openaiError),

  /**
   * Hugging Face's router forwards the responses of its providers, under their paths.
   * Sources: huggingface.co/docs/inference-providers, huggingface_hub `inference/_providers`, 2026-11.
   */
  huggingface: dialect("huggingface", OPENAI, openaiError),
} as const satisfies Readonly<Record<string, Dialect>>;

export type DialectName = keyof typeof DIALECTS;

/** Returns a dialect. `"host"` is the one of a provider whose operations depend on the path alone. */
export const getDialect = (name: DialectName | "host"): Dialect =>
  name === "host" ? hostDialect : DIALECTS[name];

export const getHttpProtocol = (): Protocol => httpProtocol;
