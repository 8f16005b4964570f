import { isCredentialHeader } from "../../cassette/credentials.ts";

/**
 * Whether a header of a request belongs to its key. Of an operation that is not known (`http`), every header may choose
 * the answer: the model of Vercel's AI Gateway, the action of an AWS service, the offset of an upload. It counts unless
 * it is one of `SILENT`. A known operation is described by its path and body, so that only `TELLING` headers count.
 */
export function countsInKey(name: string, operation: string): boolean {
  if (isCredentialHeader(name)) return false;
  if (TELLING.test(name)) return true;
  if (operation === "http") return !SILENT.some((pattern) => pattern.test(name));
  return name === "accept" && operation === "invoke"; // Bedrock answers in the form that is accepted.
}

/**
 * Headers that change the answer of any operation. The SDKs below send those of OpenAI, Anthropic, and Bedrock. The others
 * are in RFC 9110 and 7240, in the API references of Google (Vertex AI's throughput), Alibaba, Groq, Azure (image
 * deployment, content policy, extra parameters), Hugging Face, and OpenRouter (passes betas on), and in those of the
 * gateways Portkey and Helicone, which choose a provider by header.
 */
const TELLING = new RegExp(
  `^(?:${[
    "if-modified-since|if-none-match|prefer|range",
    "x-http-method-override",
    "(?:x-)?anthropic-beta|anthropic-version",
    "openai-beta",
    "x-amzn-bedrock-[a-z-]+",
    "x-goog-fieldmask",
    "x-vertex-ai-llm-[a-z-]+",
    "x-dashscope-(?:async|datainspection|ossresourceresolve)",
    "groq-model-version",
    "azureml-model-deployment|extra-parameters|x-ms-oai-image-generation-deployment|x-policy-id",
    "x-use-cache|x-wait-for-model",
    "x-portkey-(?:config|provider|virtual-key|custom-host|azure-[a-z-]+|aws-region|vertex-[a-z-]+)",
    "helicone-(?:target-url|target-provider|openai-api-base|model-override|fallbacks)",
  ].join("|")})$`,
);

/**
 * Headers that say nothing about the answer, besides those of credentials. Checked in 2026-11 by two runs each of these
 * SDKs against a stub, of which the second was replayed. npm: openai 6.49, @anthropic-ai/sdk 1.14, replicate 1.4,
 * @ai-sdk/gateway 3.0, @google/genai 2.32, cohere-ai 8.1, @mistralai/mistralai 2.7, @huggingface/inference 4.13, and
 * @aws-sdk/client-(bedrock-runtime, sagemaker-runtime, comprehend) 3.1164. PyPI: openai 3.57, anthropic 2.14, boto3 1.44,
 * dashscope 2.0, google-genai 3.6, cohere 7.3, mistralai 3.7, and replicate 1.0. The others are the documented headers of
 * proxies, tracers, gateways, and editors.
 */
const SILENT: readonly RegExp[] = [
  // The connection and the transport; the body is decoded before it is compared.
  /^(?:connection|keep-alive|proxy-.+|te|trailer|transfer-encoding|upgrade|via|forwarded|x-forwarded-.+|x-real-ip|host|expect|max-forwards|content-length|content-encoding|content-md5|digest|content-digest|x-goog-hash|cache-control|pragma)$/,
  // Browsers, and the clients that imitate them.
  /^(?:sec-.+|accept-(?:language|encoding|charset)|dnt|priority|save-data|upgrade-insecure-requests|origin|referer|http-referer|x-requested-with)$/,
  // Requests, sessions, and traces of them.
  /(?:^|[-_])(?:request|correlation|trace|span|session|transaction|invocation|idempotency|call|event|interaction|machine|device|installation|ray)[-_]?(?:id|key|uuid)?$/,
  /trace|^(?:baggage|b3|x-b3-.+|newrelic|x-datadog-.+|x-instana-.+|x-ot-.+|sentry-.+|langsmith-.+|ai-o11y-.+)$/,
  // Gateways' logs.
  /^(?:x-portkey-(?:metadata|debug|span-.+)|helicone-(?:property-.+|session-.+|user-id|prompt-.+)|x-langfuse-.+|cf-aig-metadata|x-litellm-(?:tags|spend-logs-metadata))$/,
  // Versions and names of clients and applications, and who pays.
  /^(?:user-agent|.+-user-agent|x-goog-api-client|x-goog-user-project|x-goog-quota-user|.+-sdk-client|x-client-.+|x-ms-client-.+|x-ms-useragent|x-stainless-.+|x-fern-.+|x-sdk-.+|x-app|x-title|editor-.+|vscode-.+|copilot-integration-id|x-initiator|x-openrouter-.+|x-hf-bill-to|openai-(?:organization|project)|anthropic-dangerous-direct-browser-access)$/,
  // Attempts, times, and what AWS signs with.
  /retry|timeout|(?:^|-)(?:date|timestamp|nonce)$|^(?:amz-sdk-.+|x-amz-content-sha256|x-amz-checksum-.+|x-amz-sdk-checksum-algorithm)$/,
  /^x-tapedeck-/,
];
