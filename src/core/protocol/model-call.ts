import { isLoopback } from "./upstream-address.ts";

/*
 * Recognizes calls to models by their shape, at hosts that no table can list: gateways, regional addresses, new providers.
 * The hooks look at method and path, before a connection is opened; the server looks at the body as well.
 */

/** Paths that only model APIs use. */
const SURE = [
  "/chat/completions",
  "/text/chatcompletion(?:_v2|_pro)?",
  "/embeddings",
  "/multimodalembeddings",
  "/model/[^/?]+/(?:converse|invoke)(?:-stream|-with-response-stream)?",
  "/audio/(?:speech|transcriptions|translations)",
  "/images/(?:generations|edits|variations)",
  ":(?:stream)?generateContent",
  ":(?:batchE|e)mbedContents?",
  ":(?:stream)?rawPredict",
];

/** Paths that other services use too, so that the body decides. */
const LIKELY = [
  "/completions",
  "/responses",
  "/messages(?:/count_tokens)?",
  "/moderations",
  "/rerank",
  "/converse(?:-stream)?",
  "/invoke(?:-with-response-stream)?",
  "/api/(?:chat|generate|embed)",
  "/v[12]/(?:chat|generate|embed|classify|ocr)",
  "/ai/run/[^?]+",
  ":predict",
];

/** With this request, clients of Hugging Face ask huggingface.co for a model's providers before they call one. */
const LOOKUP = "GET .*/api/models/[^?]+\\?(?:.*&)?expand(?:%5B%5D|\\[\\])?=inferenceProviderMapping(?:&|$)";

/** A case-insensitive pattern of "METHOD path" in a syntax that all languages of the hooks support. */
export const MODEL_REQUESTS = `^(?:POST .*(?:${[...SURE, ...LIKELY].join("|")})/?(?:\\?|$)|${LOOKUP})`;

/** Whether a request may be a call to a model, by its method and path. */
export const isModelRequest = (method: string, path: string): boolean =>
  ANY_REQUEST.test(`${method} ${path}`);

/** Whether a path is that of a session of OpenAI or Gemini, which are WebSockets. */
export const isSessionPath = (path: string): boolean =>
  /(?:\/realtime|\.BidiGenerateContent(?:Constrained)?)(?:\?|$)/.test(path);

const ANY_REQUEST = new RegExp(MODEL_REQUESTS, "i");
const SURE_PATH = new RegExp(`(?:${SURE.join("|")})/?(?:\\?|$)`, "i");
const PATH_WITH_MODEL = /\/model\/|\/models\/|\/deployments\/|\/ai\/run\/|\/endpoints\//i;

/** Names of the members that contain a model's input in the various APIs. */
const CONTENT =
  /^(?:messages|input|inputs|contents|content|prompt|instances|texts|text|documents|document|query|requests|image|images)$/;

interface HttpRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly body: Uint8Array;
}

/** Whether a request to any host is a call to a model. */
export function isModelCall({ method, path, body }: HttpRequest): boolean {
  if (!isModelRequest(method, path)) return false;
  if (method === "GET") return true;
  const names = namesIn(body);
  if (names === undefined) return SURE_PATH.test(path);
  const hasContent = names.some((name) => CONTENT.test(name));
  if (SURE_PATH.test(path)) return hasContent || names.includes("model");
  return hasContent && (names.some((name) => name.startsWith("model")) || PATH_WITH_MODEL.test(path));
}

/** Returns the names of a JSON object's members; undefined if the body is not a JSON object. */
function namesIn(body: Uint8Array): readonly string[] | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(body));
    return typeof value === "object" && value !== null ? Object.keys(value) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether calls to a host can be recorded without naming it. Servers on this machine can belong to the test itself. */
export function mayBeModelHost(host: string): boolean {
  return !isLoopback(host) && !/^(?:.+\.)?localhost$|^0\.0\.0\.0$|^\[::\]$/i.test(host);
}

interface Host {
  readonly host: string;
  readonly port: number;
}

/** Returns the provider name for a host of no known provider. */
export function getHostProviderName({ host, port }: Host, isPlain: boolean): string {
  const name = host.replace(/[[\]]/g, "").replaceAll(":", "-");
  const isUsual = port === (isPlain ? 80 : 443);
  const whole = isUsual && isHostName(name) ? name : `${name}_${port}`;
  return whole.slice(-64).replace(/^[^a-z0-9]+/, "");
}

/** Whether a provider name was derived from a host, and not chosen by a user. */
export function isHostName(name: string): boolean {
  return (
    /^(?:[a-z0-9-]+\.)+(?:[a-z]{2,}|\d+)(?:_\d+)?$|^[a-z0-9-]+_\d{2,5}$/.test(name) && !/\.v\d+$/.test(name)
  );
}
