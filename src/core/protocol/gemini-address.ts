/**
 * A path of the Gemini API or of Vertex AI: a model and what is asked of it, e.g.
 * `/v1beta/models/gemini-2.5-flash:generateContent` or
 * `/v1/projects/P/locations/L/publishers/google/models/gemini-2.5-flash:generateContent`; tuned models and endpoints
 * of Vertex stand in the place of the model.
 * Sources: ai.google.dev/api/generate-content and docs.cloud.google.com/vertex-ai/generative-ai/docs/model-reference,
 * 2026-11.
 */
const ADDRESS = /\/(?:models|tunedModels|dynamic|endpoints)\/([^/?]+):([A-Za-z]+)(?:\?|$)/;

/** The models of other makers on Vertex speak their makers' protocols under other methods. */
export function isGemini(method: string, pathname: string, operation: string): boolean {
  return method === "POST" && ADDRESS.exec(pathname)?.[2] === operation;
}

/** The model that a path names, decoded. */
export function geminiModel(path: string): string | undefined {
  const name = ADDRESS.exec(path)?.[1];
  if (name === undefined) return undefined;
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
