import type { Connect } from "../core/source/forward.ts";

/**
 * Connects to a provider through the runtime's own `fetch`: TLS checked, no redirect followed, proxies as the
 * runtime has them. The only module of the program that opens a connection; loaded when a mode first needs it.
 */
export const connect: Connect = async ({ url, method, headers, body, signal }) => {
  const plain = body.byteLength === 0 && (method === "GET" || method === "HEAD");
  const response = await fetch(url, {
    method,
    // Compressed answers would be held back by the decoder, event by event; identity keeps their pace.
    headers: [
      ...headers.map(([name, value]): [string, string] => [name, value]),
      ["accept-encoding", "identity"],
    ],
    ...(!plain && { body: Buffer.from(body) }),
    redirect: "manual",
    signal,
  });
  return {
    status: response.status,
    headers: [...response.headers],
    body: response.body === null ? nothing() : response.body,
  };
};

async function* nothing(): AsyncGenerator<Uint8Array> {}
