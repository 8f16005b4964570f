import { percentDecoded } from "../../base/wire/text.ts";

/** How a provider's paths name a model and what is asked of it. */
export interface ModelAddress {
  /** The paths on which any model is asked for this operation. */
  pathOf(operation: string): RegExp;
  /** The model that a path names, decoded. */
  modelIn(path: string): string | undefined;
}

/** `head` is a pattern of what stands before the model, `mark` what stands between it and the operation. */
function modelAddress(head: string, mark: string): ModelAddress {
  const model = new RegExp(`${head}/([^/?]+)${mark}[A-Za-z-]+(?:\\?|$)`);
  return {
    pathOf: (operation) => new RegExp(`${head}/[^/?]+${mark}${operation}$`),
    modelIn(path) {
      const name = model.exec(path)?.[1];
      return name === undefined ? undefined : percentDecoded(name);
    },
  };
}

/**
 * A path of Bedrock's runtime: a model (an id or an ARN, encoded) and what is asked of it.
 * Source: docs.aws.amazon.com/bedrock/latest/APIReference/API_Operations_Amazon_Bedrock_Runtime.html, 2026-11.
 */
export const bedrockAddress = modelAddress("/model", "/");

/**
 * A path of the Gemini API or of Vertex AI: a model and what is asked of it, e.g.
 * `/v1beta/models/gemini-2.5-flash:generateContent` or
 * `/v1/projects/P/locations/L/publishers/google/models/gemini-2.5-flash:generateContent`; tuned models and endpoints
 * of Vertex stand in the place of the model.
 * Sources: ai.google.dev/api/generate-content and docs.cloud.google.com/vertex-ai/generative-ai/docs/model-reference,
 * 2026-11. The models of other makers on Vertex speak their makers' protocols under other methods.
 */
export const geminiAddress = modelAddress("/(?:models|tunedModels|dynamic|endpoints)", ":");
