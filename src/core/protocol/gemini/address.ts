import { modelAddress } from "../model-address.ts";

/**
 * A path of the Gemini API or of Vertex AI: a model and what is asked of it, e.g.
 * `/v1beta/models/gemini-2.5-flash:generateContent` or
 * `/v1/projects/P/locations/L/publishers/google/models/gemini-2.5-flash:generateContent`; tuned models and endpoints
 * of Vertex stand in the place of the model.
 * Sources: ai.google.dev/api/generate-content and docs.cloud.google.com/vertex-ai/generative-ai/docs/model-reference,
 * 2026-11. The models of other makers on Vertex speak their makers' protocols under other methods.
 */
export const geminiAddress = modelAddress(
  /\/(?:models|tunedModels|dynamic|endpoints)\/([^/?]+):([A-Za-z]+)(?:\?|$)/,
);
