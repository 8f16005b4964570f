import { localize } from "../base/localize.ts";
import type { Engine } from "./engine.ts";
import { createRefusal } from "../base/errors.ts";
import { isBytes } from "../base/wire/text.ts";
import type { Answer, Run, WireHeaders } from "../call/call.ts";
import { isModelCall, mayBeModelHost } from "../protocol/model-call.ts";
import { findRoute, routeByHost, type Destination, type ProviderRoute } from "../protocol/origin.ts";
import type { ProviderTable } from "../protocol/registry.ts";

/**
 * The engine as a `fetch`, for SDKs in the same process. A request to a provider's own address is a call of that
 * provider; any other address is refused, because answering it would mean to let it out unseen. `servedAt` is the address
 * of the run that started the process: SDKs read it from the provider's variable.
 */
export function createEngineFetch(
  engine: Engine,
  providers: ProviderTable,
  run: Run,
  servedAt?: string,
): typeof globalThis.fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    request.signal.throwIfAborted();
    const body = new Uint8Array(await request.arrayBuffer());
    const known = servedTarget(request.url, servedAt, providers) ?? ownTarget(request.url, providers);
    const target = known ?? modelTarget(request, body);
    if (target === undefined) {
      const hint = localize(
        "Known addresses are those of {0}. Configure other addresses as upstreams.",
        providers.names.join(", "),
      );
      const reply = engine.refuse(
        undefined,
        createRefusal(
          localize("{0} is not the address of a provider.", new URL(request.url).origin),
          hint,
          404,
        ),
      );
      return createResponse({ outcome: "refused", reply, settled: Promise.resolve({ outcome: "refused" }) });
    }
    const headers: WireHeaders = [...request.headers];
    const call = { ...target, method: request.method, headers, body, signal: request.signal, run };
    return createResponse(await engine.answer({ ...call, ...(run.test && { test: run.test }) }));
  };
}

function servedTarget(
  url: string,
  servedAt: string | undefined,
  providers: ProviderTable,
): ProviderRoute | undefined {
  if (!servedAt || !url.startsWith(`${servedAt}/`)) return undefined;
  const { pathname, search } = new URL(url.slice(servedAt.length), "http://localhost");
  const [, provider = "", ...path] = pathname.split("/");
  return providers.get(provider) && { provider, path: `/${path.join("/")}${search}` };
}

/** A provider's own address, or its public one where the user named another one in its place. */
function ownTarget(url: string, providers: ProviderTable): ProviderRoute | undefined {
  const { destination, path } = locateAddress(url);
  return findRoute(destination, path, providers);
}

/** A call to a model by its shape, at a host of no known provider. */
function modelTarget({ url, method }: Request, body: Uint8Array): ProviderRoute | undefined {
  const { destination, path, isPlain } = locateAddress(url);
  if (!mayBeModelHost(destination.host) || !isModelCall({ method, path, body })) return undefined;
  return routeByHost(destination, path, isPlain);
}

function locateAddress(url: string): {
  readonly destination: Destination;
  readonly path: string;
  readonly isPlain: boolean;
} {
  const { protocol, hostname: host, port, pathname, search } = new URL(url);
  const isPlain = protocol !== "https:";
  const destination = { host, port: Number(port || (isPlain ? 80 : 443)) };
  return { destination, path: pathname + search, isPlain };
}

/** No body may stand under these. */
const WITHOUT_BODY = new Set([101, 204, 205, 304]);

/** Returns an answer as a response of `fetch`. */
export function createResponse({ reply, outcome, entry }: Answer): Response {
  const headers = new Headers(reply.headers.map(([name, value]): [string, string] => [name, value]));
  headers.set("x-tapedeck-outcome", outcome);
  if (entry !== undefined) headers.set("x-tapedeck-entry", entry);
  const body = WITHOUT_BODY.has(reply.status) ? null : webBody(reply.body);
  return new Response(body, { status: reply.status, statusText: reply.statusText ?? "", headers });
}

function webBody(
  body: Uint8Array | AsyncIterable<Uint8Array>,
): Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> {
  if (isBytes(body)) return Uint8Array.from(body);
  const reader = body[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await reader.return?.();
    },
  });
}
