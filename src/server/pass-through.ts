import { localize } from "../core/base/localize.ts";
import type { Call } from "../core/call/call.ts";
import { createRefusal, type TapedeckError } from "../core/base/errors.ts";
import type { Engine } from "../core/answer/engine.ts";
import type { Destination } from "../core/protocol/origin.ts";
import type { Connect } from "../core/answer/source/source.ts";
import type { GuardNote } from "./guard-notes.ts";
import type { Response } from "./http/messages.ts";
import { sendRefusal, waitForDrain } from "./http/messages.ts";

export { isModelCall } from "../core/protocol/model-call.ts";

export interface PassThroughOptions {
  /** Called for each request that was not let in, with the rule and nothing of the request. */
  readonly onRefusal?: (error: TapedeckError) => void;
  /** Called with the notes that hooks send about their processes, which do not count as requests. */
  readonly onGuard?: (note: GuardNote) => void;
  /** Loads what sends requests on that ask no model; without it they are not sent. */
  readonly connect?: () => Promise<Connect>;
  /** Whether a run blocks the network to a host, for requests that ask no model. */
  readonly isBlocked?: (destination: Destination) => boolean;
}

interface PassedRequest {
  readonly response: Response;
  readonly options: PassThroughOptions & { readonly engine: Pick<Engine, "refuse"> };
}

/**
 * Forwards a request that is not a model call to the host that its client chose, and streams the reply back. Connections
 * to a host lead to this server after the first model call to it. If the host cannot be reached or closes the connection
 * early, the client's connection ends, as it would without this server.
 */
export async function passThrough({ response, options }: PassedRequest, call: Call): Promise<void> {
  const { origin = "", path, method, body, signal } = call;
  const { protocol, hostname, host, port } = new URL(origin);
  const destination = { host: hostname, port: Number(port || (protocol === "https:" ? 443 : 80)) };
  const isRefused = options.isBlocked?.(destination) === true;
  options.onGuard?.({ kind: "left", run: call.run, host, isRefused });
  if (isRefused) {
    const hint = localize('If tests need that host, add it to "allowHosts" in tapedeck.jsonc.');
    const error = createRefusal(localize("this run blocks the network, including {0}.", host), hint);
    options.onRefusal?.(error);
    sendRefusal(response, options.engine.refuse(call.provider, error));
    return;
  }
  const { selectReplyHeaders, selectRequestHeaders } = await import("../core/answer/source/forward.ts");
  const outgoing = { url: origin + path, method, headers: selectRequestHeaders(call), body, signal };
  try {
    const connect = await options.connect?.();
    if (connect === undefined) throw new Error("nothing is sent on here");
    const reply = await connect({ ...outgoing, mayBePrivate: true });
    response.writeHead(reply.status, selectReplyHeaders(reply, { method, cookies: true }).flat());
    for await (const piece of reply.body) {
      if (response.destroyed) return;
      if (!response.write(piece)) await waitForDrain(response);
    }
    response.end();
  } catch {
    response.destroy();
  }
}
