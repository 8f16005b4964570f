import type { Run } from "../core/call/call.ts";
import { readRequestBody, type BodySource } from "./http/request-body.ts";
import { sendJson } from "./http/messages.ts";

/** Stands where a provider's name would; none begins like this. */
export const MOCK = "@mock";

/** What a test asks of its run's mocks. */
export interface MockRequest {
  readonly method: string;
  /** What follows `/TOKEN/@mock`. */
  readonly path: string;
  readonly body: string;
}

/** Whoever does what tests ask, and gives the JSON that is answered; undefined for nothing. @throws TapedeckError */
export type OnMock = (run: Run, asked: MockRequest) => Promise<unknown>;

/** Answers a test that asks for a reply, a fault or the journal of its run. It is no call of a client. */
export async function hearMock(
  source: BodySource,
  { run, path, onMock }: { readonly run: Run; readonly path: string; readonly onMock: OnMock },
): Promise<void> {
  const body = new TextDecoder().decode(await readRequestBody(source));
  const { method = "GET" } = source.request;
  sendJson(source.response, (await onMock(run, { method, path, body })) ?? {});
}
