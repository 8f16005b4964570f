// @ts-nocheck -- plain CommonJS for any Node, with parameters that follow from its callers
"use strict";
/*
 * Numbers concurrent identical calls in the order in which the program makes them. The server counts identical calls as
 * they arrive, but connections reorder concurrent calls. So each call sends its position after the test in Tapedeck's
 * header: ";GROUP;POSITION". See core/call/attribution.ts.
 */
const channel = require("node:diagnostics_channel");
const { threadId } = require("node:worker_threads");

/** Headers that differ between identical calls: see SILENT in core/match/key/header-names.ts. */
const VARYING =
  /auth|api-?key|token|secret|cookie|signature|retry|timeout|trace|baggage|nonce|date|idempotency|(?:request|correlation|span|session|invocation)-?id$|^(?:user-agent|content-length|connection|x-stainless-.+|amz-sdk-.+|x-tapedeck-.+)$/i;

/** `scope`: names the test that runs. */
function createTakes(scope) {
  /** By the request object of each call that has no answer yet. */
  const underWay = new Map();
  let groups = 0;

  /** A call like others under way joins their group; any other begins one. Most calls have nothing to be compared with. */
  const count = (request, { method, url, headers, body }) => {
    if (typeof body !== "string" && !ArrayBuffer.isView(body)) return "";
    const call = { test: scope(), method, url, headers, body };
    const { group } = [...underWay.values()].find((other) => isSameCall(call, other)) ?? {};
    call.group = group ?? {
      id: `${process.pid}.${threadId}.${(groups += 1)}`,
      next: 1,
      again: [],
    };
    call.position = call.group.again.shift() ?? call.group.next;
    call.group.next = Math.max(call.group.next, call.position + 1);
    underWay.set(request, call);
    return `;${call.group.id};${call.position}`;
  };

  const end = (request, status) => {
    const call = underWay.get(request);
    if (!underWay.delete(request)) return;
    const { group, position } = call;
    // A call that failed is made again, and keeps its position.
    if (!(status < 400)) group.again = [...group.again, position].sort((one, other) => one - other);
  };
  channel.subscribe("undici:request:headers", ({ request, response }) => end(request, response.statusCode));
  channel.subscribe("undici:request:error", ({ request }) => end(request));
  channel.subscribe("http.client.response.finish", ({ request, response }) =>
    end(request, response.statusCode),
  );

  return {
    end,
    /** Counts a request; gives what follows the test in its header. Without a known body it has no position. */
    number(request, sent) {
      try {
        return count(request, sent);
      } catch {
        return "";
      }
    },
  };
}

function isSameCall(one, other) {
  return (
    one.test === other.test &&
    one.method === other.method &&
    one.url === other.url &&
    isSameBody(one.body, other.body) &&
    keptHeaders(one) === keptHeaders(other)
  );
}

function isSameBody(one, other) {
  if (typeof one === "string" && typeof other === "string") return one === other;
  return bytesOf(one).equals(bytesOf(other));
}

const bytesOf = (body) =>
  typeof body === "string" ? Buffer.from(body) : Buffer.from(body.buffer, body.byteOffset, body.byteLength);

function keptHeaders({ headers }) {
  return headers()
    .filter(([name]) => !VARYING.test(name))
    .map(([name, value]) => `${name}: ${value}`)
    .sort()
    .join("\n");
}

/**
 * Remembers the bodies that `fetch` is given, which undici reads only when it sends them. `of` gives the body of a request
 * that undici has just made: requests to one address are made in the order of their calls, before anything else runs.
 */
function createFetchBodies() {
  const waiting = new Map();
  const forget = (place, call) => {
    const rest = (waiting.get(place) ?? []).filter((one) => one !== call);
    if (rest.length > 0) waiting.set(place, rest);
    else waiting.delete(place);
  };
  return {
    remember(input, init) {
      const place = `${String(init?.method ?? input?.method ?? "GET").toUpperCase()} ${input?.url ?? input}`;
      const call = { body: init?.body };
      waiting.set(place, [...(waiting.get(place) ?? []), call]);
      setImmediate(forget, place, call);
    },
    of({ method, origin, path, body }) {
      const place = `${method} ${origin}${path}`;
      const [call = { body }] = waiting.get(place) ?? [];
      forget(place, call);
      return call.body;
    },
  };
}

/** As undici has them: one text, or names and values in turn. */
function headersOfUndici(headers) {
  const lines = typeof headers === "string" ? headers.split("\r\n").filter(Boolean) : undefined;
  if (lines)
    return lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]);
  return headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1]]] : []));
}

/** Has a request of node:http say its place when its body comes, if that comes in one piece. `mark` is given the place. */
function numberWhenWritten(takes, request, url, mark) {
  const own = { write: request.write, end: request.end };
  const isWhole = (name, body) =>
    name === "end" || Number(request.getHeader("content-length")) === Buffer.byteLength(body);
  for (const name of ["write", "end"])
    request[name] = function (body, ...rest) {
      Object.assign(request, own);
      try {
        if (body && !request.headersSent && isWhole(name, body)) {
          const entries = Object.entries(request.getHeaders());
          const headers = () => entries;
          mark(takes.number(request, { method: request.method, url, headers, body }));
          request.once("close", () => takes.end(request));
        }
      } catch {
        // The call goes on without its place.
      }
      return own[name].call(this, body, ...rest);
    };
}

module.exports = { createFetchBodies, createTakes, headersOfUndici, numberWhenWritten };
