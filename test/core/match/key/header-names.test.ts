import { describe, expect, it } from "vitest";
import { listAllKeyHeaders, withHiddenValues } from "../../../../src/core/match/key/key.ts";
import { computeKey } from "../../../../src/core/match/key/key.ts";
import { chat, sha256 } from "../requests.ts";

/** Headers that change an answer of a provider's known operation. */
const TELLING: readonly (readonly [provider: string, names: string])[] = [
  ["anthropic", "anthropic-beta anthropic-version"],
  ["azure", "azureml-model-deployment extra-parameters openai-beta"],
  ["azure", "x-ms-oai-image-generation-deployment x-policy-id"],
  ["bedrock", "x-amzn-bedrock-guardrailidentifier x-amzn-bedrock-guardrailversion"],
  ["bedrock", "x-amzn-bedrock-performanceconfig-latency x-amzn-bedrock-service-tier"],
  ["bedrock", "x-amzn-bedrock-trace"],
  ["dashscope", "x-dashscope-async x-dashscope-datainspection x-dashscope-ossresourceresolve"],
  ["gemini", "x-goog-fieldmask x-http-method-override"],
  ["groq", "groq-model-version"],
  ["huggingface", "x-use-cache x-wait-for-model"],
  ["openai", "helicone-target-url if-none-match openai-beta prefer range x-portkey-config"],
  ["openai", "x-portkey-provider x-portkey-virtual-key"],
  ["openrouter", "x-anthropic-beta"],
  ["vertex", "x-vertex-ai-llm-request-type x-vertex-ai-llm-shared-request-type"],
];

const ANY_OPERATION: readonly string[] = [
  "ai-embedding-model-id ai-gateway-protocol-version ai-language-model-id",
  "ai-language-model-specification-version ai-language-model-streaming ai-model-id content-range",
  "if-match openai-beta soapaction x-amz-target x-amzn-bedrock-service-tier",
  "x-amzn-sagemaker-inference-component x-amzn-sagemaker-target-model x-amzn-sagemaker-target-variant",
  "x-dashscope-async x-dashscope-sse x-goog-upload-command x-goog-upload-offset x-portkey-config",
  "x-portkey-provider x-tenant",
];

const SILENT: readonly string[] = [
  "accept-encoding accept-language ai-gateway-auth-method ai-o11y-request-id amz-sdk-invocation-id",
  "amz-sdk-request authorization baggage connection cf-ray content-length cookie editor-version host",
  "http-referer idempotency-key openai-organization sec-fetch-mode sentry-trace session_id traceparent",
  "user-agent x-amz-content-sha256 x-amz-date x-amz-security-token x-amz-user-agent x-amzn-trace-id",
  "x-client-request-id x-dashscope-sdk-client x-datadog-parent-id x-forwarded-for x-goog-api-client",
  "x-goog-api-key x-interaction-id x-litellm-call-id x-ms-client-request-id x-portkey-api-key",
  "x-portkey-trace-id x-request-id x-stainless-os x-stainless-retry-count x-stainless-timeout",
  "x-tapedeck-test",
];

const words = (lines: readonly string[]): readonly string[] => lines.flatMap((line) => line.split(" "));

const keyWith = (operation: string, provider: string, name: string, value: string): string =>
  computeKey(chat({}, { provider, operation, headers: [[name, value]] }), sha256);

describe("headers in the key", () => {
  it.each(TELLING.flatMap(([provider, names]) => names.split(" ").map((name) => [provider, name])))(
    "%s: two values of %s are two calls of a known operation",
    (provider, name) => {
      expect(keyWith("chat.completions", provider, name, "one")).not.toBe(
        keyWith("chat.completions", provider, name, "two"),
      );
    },
  );

  it.each(words(ANY_OPERATION))("two values of %s are two calls where the operation is not known", (name) => {
    expect(keyWith("http", "mine", name, "one")).not.toBe(keyWith("http", "mine", name, "two"));
  });

  it.each(words(SILENT))("%s does not affect the answer", (name) => {
    expect(listAllKeyHeaders({ operation: "http", headers: [[name, "one"]] })).toEqual([]);
    expect(listAllKeyHeaders({ operation: "chat.completions", headers: [[name, "one"]] })).toEqual([]);
  });

  it("leave out headers of a program's own when the operation is known", () => {
    expect(listAllKeyHeaders({ operation: "chat.completions", headers: [["x-tenant", "a"]] })).toEqual([]);
  });

  it("hold no value that may be a credential, and still tell two of them apart", () => {
    const config = (key: string) => `{"api_key":"${key}"}`;
    const [one = "", two = ""] = ["sk-A1b2C3d4E5f6G7h8I9", "sk-Z1b2C3d4E5f6G7h8I9"].map(config);
    const hidden = withHiddenValues([["x-portkey-config", one]], sha256);

    expect(hidden).toEqual([["x-portkey-config", `sha256:${sha256(one)}`]]);
    expect(withHiddenValues(hidden, sha256)).toEqual(hidden);
    expect(keyWith("http", "mine", "x-portkey-config", one)).not.toBe(
      keyWith("http", "mine", "x-portkey-config", two),
    );
    expect(keyWith("http", "mine", "x-portkey-config", one)).toBe(
      keyWith("http", "mine", "x-portkey-config", hidden[0]?.[1] ?? ""),
    );
  });

  it.each(["anthropic/claude-opus-4.5", "Comprehend_20171127.DetectSentiment", "bytes 0-9/100"])(
    "keep %s readable",
    (value) => {
      expect(withHiddenValues([["x-a", value]], sha256)).toEqual([["x-a", value]]);
    },
  );
});
