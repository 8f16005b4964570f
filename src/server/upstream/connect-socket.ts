import type { ClientRequest, IncomingMessage } from "node:http";
import { createTapedeckError } from "../../core/base/errors.ts";
import { localize } from "../../core/base/localize.ts";
import { MOST_MESSAGE_BYTES } from "../../core/call/socket.ts";
import type { ConnectSocket } from "../../core/answer/source/source.ts";
import { HeldSocket, wrapSocket } from "../sockets/held-socket.ts";

/** The options by which the program connects to an address; see `createSocketOptions` of `connect.ts`. */
type ConnectionRules = (target: URL, mayBePrivate: boolean) => Promise<object>;

/**
 * Returns a function that opens WebSockets to providers. An upstream that does not open one resolves to its HTTP reply.
 * As for other calls, only the client limits the wait: a limit here would fail sessions on a busy machine.
 */
export const createSocketConnector =
  (rules: ConnectionRules): ConnectSocket =>
  async ({ url, headers, protocols, signal, mayBePrivate }) => {
    const target = new URL(url);
    const options = await rules(target, mayBePrivate);
    target.protocol = target.protocol === "https:" ? "wss:" : "ws:";
    return new Promise((resolve, reject) => {
      const ws = new HeldSocket(target, [...protocols], {
        ...options,
        headers: headersOf(headers),
        perMessageDeflate: false,
        maxPayload: MOST_MESSAGE_BYTES,
      });
      const leave = (): void => ws.terminate();
      signal.addEventListener("abort", leave, { once: true });
      const over = (): void => signal.removeEventListener("abort", leave);
      ws.once("error", (error) => {
        over();
        reject(/subprotocol/.test(error.message) ? explainProtocol(protocols) : error);
      });
      ws.once("open", () => {
        over();
        resolve({ socket: { ...wrapSocket(ws), protocol: ws.protocol === "" ? undefined : ws.protocol } });
      });
      ws.once("unexpected-response", (request: ClientRequest, response: IncomingMessage) => {
        over();
        if (response.statusCode === 101) {
          request.destroy();
          reject(new Error(localize("its answer to the handshake is invalid")));
        } else resolve({ refusal: replyOf(response) });
      });
      if (signal.aborted) leave();
    });
  };

/** The upstream has answered, so its address and the network are right. */
function explainProtocol(protocols: readonly string[]): Error {
  return createTapedeckError(
    "tapedeck_upstream",
    protocols.length === 0
      ? localize("The provider chose a subprotocol for the WebSocket, and the client offers none.")
      : localize("The provider chose none of the subprotocols that the client offers for the WebSocket."),
    { hint: localize("Nothing was recorded. Have the client offer what the API documents.") },
  );
}

function replyOf(response: IncomingMessage) {
  const { statusCode = 502, headersDistinct } = response;
  const headers = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
    values.map((value) => [name, value] as const),
  );
  return { status: statusCode, headers, body: response as AsyncIterable<Uint8Array> };
}

function headersOf(headers: readonly (readonly [string, string])[]): Record<string, string[]> {
  const all: Record<string, string[]> = {};
  for (const [name, value] of headers) (all[name] ??= []).push(value);
  return all;
}
