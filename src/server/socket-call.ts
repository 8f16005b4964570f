import type { Call, Run, TestRef, WireHeaders } from "../core/call.ts";
import type { Address } from "./guard/guard.ts";
import type { Head, Request, Response } from "./http/node-messages.ts";

/** What a call is made of, besides the socket that it came over. */
export interface CallParts {
  readonly address: Address;
  readonly body: Uint8Array;
  readonly run: Run;
  readonly test: TestRef | undefined;
}

/** A call that lives as long as its socket. A class, because some of it is made only when something asks for it. */
export class SocketCall implements Call {
  readonly provider: string;
  readonly method: string;
  readonly path: string;
  readonly contentType: string;
  readonly body: Uint8Array;
  readonly run: Run;
  readonly token: string;
  declare readonly origin?: string;
  declare readonly test?: TestRef;
  readonly #response: Response;
  readonly #head: Head;
  #gone: AbortController | undefined;

  constructor(request: Request, response: Response, parts: CallParts) {
    this.provider = parts.address.provider;
    this.method = request.method ?? "GET";
    this.path = parts.address.path;
    this.contentType = request.head.contentType ?? "";
    this.body = parts.body;
    this.run = parts.run;
    this.token = parts.address.token;
    if (parts.address.origin !== undefined) this.origin = parts.address.origin;
    if (parts.test !== undefined) this.test = parts.test;
    this.#response = response;
    this.#head = request.head;
  }

  get headers(): WireHeaders {
    return this.#head.headers;
  }

  get base(): string {
    return this.origin ?? `http://${this.#head.host ?? ""}/${this.token}/${this.provider}`;
  }

  /** A replay never asks for it. */
  get signal(): AbortSignal {
    this.#gone ??= abortedWhenLeft(this.#response);
    return this.#gone.signal;
  }
}

function abortedWhenLeft(response: Response): AbortController {
  const controller = new AbortController();
  const leave = (): void => {
    if (!response.writableFinished) controller.abort();
  };
  if (response.destroyed) leave();
  response.once("close", leave);
  return controller;
}
