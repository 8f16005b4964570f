import { decodePercent } from "../../base/wire/text.ts";

/** The format of a provider's paths that name a model and an operation. */
export interface ModelAddress {
  /** Returns a pattern of this operation's paths for any model. */
  pathOf(operation: string): RegExp;
  /** Returns the decoded model name in a path. */
  modelIn(path: string): string | undefined;
}

/** `head` is a pattern of the path before the model, `mark` the separator between model and operation. */
function modelAddress(head: string, mark: string): ModelAddress {
  const model = new RegExp(`${head}/([^/?]+)${mark}[A-Za-z-]+(?:\\?|$)`);
  return {
    pathOf: (operation) => new RegExp(`${head}/[^/?]+${mark}${operation}$`),
    modelIn(path) {
      const name = model.exec(path)?.[1];
      return name === undefined ? undefined : decodePercent(name);
    },
  };
}

/**
 * Paths of Bedrock's runtime: a model (an encoded ID or ARN) and an operation.
 * Source: docs.aws.amazon.com/bedrock/latest/APIReference/API_Operations_Amazon_Bedrock_Runtime.html, 2026-11.
 */
export const bedrockAddress = modelAddress("/model", "/");

/**
 * Paths of the Gemini API and of Vertex AI: a model and an operation, e.g.
 * `/v1beta/models/gemini-2.5-flash:generateContent` or
 * `/v1/projects/P/locations/L/publishers/google/models/gemini-2.5-flash:generateContent`. They can name a tuned model
 * or a Vertex endpoint instead of a model.
 * Sources: ai.google.dev/api/generate-content and docs.cloud.google.com/vertex-ai/generative-ai/docs/model-reference,
 * 2026-11. Third-party models on Vertex use the protocols of their vendors under other methods.
 */
export const geminiAddress = modelAddress("/(?:models|tunedModels|dynamic|endpoints)", ":");
