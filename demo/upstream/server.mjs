// The practice upstream: answers OpenAI's chat completions and Anthropic's messages, costs nothing, and needs no key
// and no network. Started directly, it serves until Ctrl+C: `node demo/upstream/server.mjs [PORT]`.
import { createServer } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { anthropic } from "./anthropic.mjs";
import { openai } from "./openai.mjs";
import { deliberateFailure } from "./failures.mjs";

/** @typedef {import("./shapes.ts").Dialect} Dialect */
/** @typedef {import("./shapes.ts").Failure} Failure */

const BODY_LIMIT_BYTES = 32 * 1_048_576;

/** @type {Readonly<Record<string, Dialect>>} */
const dialects = { "/v1/chat/completions": openai, "/v1/messages": anthropic };

/**
 * @typedef {object} Upstream
 * @property {string} origin "http://127.0.0.1:PORT"; the address to give for either provider
 * @property {number} requests number of requests since the start
 * @property {() => Promise<void>} close
 */

/**
 * @param {{ port?: number, delayMs?: number }} [options] `delayMs`: between the events of a stream, default 25
 * @returns {Promise<Upstream>}
 */
export async function startUpstream({ port = 0, delayMs = 25 } = {}) {
  let requests = 0;
  const server = createServer((request, response) => {
    requests++;
    answer(request, response, delayMs).catch((/** @type {unknown} */ error) => {
      response.destroy(error instanceof Error ? error : undefined);
    });
  });
  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => resolve(undefined));
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The practice upstream has no port.");
  return {
    origin: `http://127.0.0.1:${address.port}`,
    get requests() {
      return requests;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/**
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:http").ServerResponse} response
 * @param {number} delayMs
 */
async function answer(request, response, delayMs) {
  const path = new URL(request.url ?? "/", "http://localhost").pathname;
  const dialect = dialects[path];
  if (!dialect) {
    const nearest = request.headers["anthropic-version"] ? anthropic : openai;
    return fail(response, nearest, {
      status: 404,
      kind: "not_found",
      message: `Unknown request URL: ${request.method} ${path}`,
    });
  }
  if (request.method !== "POST") {
    return fail(response, dialect, {
      status: 405,
      kind: "invalid_request",
      message: `${request.method} is not allowed here; use POST.`,
    });
  }
  const body = await readBody(request);
  if (body === undefined) return fail(response, dialect, tooLarge);
  const asked = parse(body);
  if (!asked) return fail(response, dialect, unreadable);
  const failure = deliberateFailure(asked, request.headers) ?? dialect.fault(asked);
  if (failure) return fail(response, dialect, failure);

  if (asked["stream"] !== true) {
    response.writeHead(200, { "content-type": "application/json", ...dialect.headers() });
    response.end(JSON.stringify(dialect.reply(asked)));
    return;
  }
  response.writeHead(200, {
    "content-type": dialect.streamType,
    "cache-control": "no-cache",
    ...dialect.headers(),
  });
  for (const event of dialect.events(asked)) {
    if (response.destroyed) return;
    response.write(event);
    if (delayMs > 0) await wait(delayMs);
  }
  response.end();
}

/** @type {Failure} */
const tooLarge = { status: 413, kind: "too_large", message: "The request is too large." };

/** @type {Failure} */
const unreadable = {
  status: 400,
  kind: "invalid_request",
  message: "We could not parse the JSON body of your request: it must be an object.",
};

/** @param {import("node:http").IncomingMessage} request @returns {Promise<string | undefined>} */
async function readBody(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size <= BODY_LIMIT_BYTES) chunks.push(chunk);
  }
  return size > BODY_LIMIT_BYTES ? undefined : Buffer.concat(chunks).toString("utf8");
}

/** @param {string} body @returns {Record<string, unknown> | undefined} */
function parse(body) {
  try {
    const value = JSON.parse(body);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  } catch {
    // not JSON
  }
  return undefined;
}

/**
 * @param {import("node:http").ServerResponse} response
 * @param {Dialect} dialect
 * @param {Failure} failure
 */
function fail(response, dialect, failure) {
  response.writeHead(failure.status, {
    "content-type": "application/json",
    ...dialect.headers(),
    ...(failure.retryAfterSeconds !== undefined && { "retry-after": String(failure.retryAfterSeconds) }),
  });
  response.end(JSON.stringify(dialect.failure(failure)));
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const upstream = await startUpstream({ port: Number(process.argv[2] ?? 0) });
  console.log(`The practice upstream answers at ${upstream.origin}. Stop it with Ctrl+C.`);
  for (const signal of ["SIGINT", "SIGTERM"]) {
    process.once(signal, () => void upstream.close());
  }
}
