import type { Run } from "../core/call/call.ts";
import type { Request, Response } from "./http/messages.ts";
import { readRequestBody } from "./http/messages.ts";
import { sendJson } from "./http/messages.ts";

/** Stands where a provider's name would; none begins like this. */
export const MOCK = "@mock";

/** A test's request to its run's mocks. */
export interface MockRequest {
  readonly method: string;
  /** The path after `/TOKEN/@mock`. */
  readonly path: string;
  readonly body: string;
}

/** Handles a test's request and returns the JSON of the reply. Undefined for an empty reply. @throws TapedeckError */
export type OnMock = (run: Run, request: MockRequest) => Promise<unknown>;

/** Answers a test that sets a reply or a fault. This is not a client's call. */
export async function receiveMockRequest(
  { request, response }: { readonly request: Request; readonly response: Response },
  { run, path, onMock }: { readonly run: Run; readonly path: string; readonly onMock: OnMock },
): Promise<void> {
  const body = new TextDecoder().decode(await readRequestBody(request));
  const { method = "GET" } = request;
  sendJson(response, (await onMock(run, { method, path, body })) ?? {});
}
