import type { Run } from "../core/call/call.ts";
import type { Engine } from "../core/answer/engine.ts";
import type { TapedeckError } from "../core/base/errors.ts";
import type { RequestAddress, Admissions } from "./guard/guard.ts";
import { createRefusalNote, type GuardNote } from "./guard-notes.ts";
import type { Request, Response } from "./http/messages.ts";
import { sendRefusal } from "./http/messages.ts";
import { LINGER_MS } from "./http/raw-refusal.ts";

/** The parts of a request that a refusal needs. */
interface RefusedRequest {
  readonly request: Request;
  readonly response: Response;
  readonly admissions: Admissions;
  readonly options: {
    readonly engine: Pick<Engine, "refuse">;
    readonly roots?: readonly string[];
    readonly onRefusal?: (error: TapedeckError) => void;
    readonly onGuard?: (note: GuardNote) => void;
  };
}

/** Refuses a request. If it has a run's token, the refusal is also noted with that run. */
export function refuseRequest(
  incoming: RefusedRequest,
  error: TapedeckError,
  address?: RequestAddress,
): undefined {
  const run = address && incoming.admissions.runOf(address.token);
  if (run !== undefined && address !== undefined) noteRefusal(incoming, { address, run }, error);
  refuse(incoming, address?.provider, error);
  return undefined;
}

export function noteRefusal(
  { request, options }: RefusedRequest,
  of: { readonly address: RequestAddress; readonly run: Run },
  error: TapedeckError,
): void {
  options.onGuard?.(createRefusalNote({ request, roots: options.roots ?? [], ...of, error }));
}

export function refuse(
  { request, response, options }: Omit<RefusedRequest, "admissions">,
  provider: string | undefined,
  error: TapedeckError,
): void {
  options.onRefusal?.(error);
  if (response.headersSent || response.destroyed) return;
  const unread = !request.complete;
  // The rest of the request is not read, regardless of its size.
  if (unread) response.setHeader("connection", "close");
  sendRefusal(response, options.engine.refuse(provider, error));
  if (unread) response.once("finish", () => setTimeout(() => request.destroy(), LINGER_MS).unref());
}
