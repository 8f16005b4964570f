import type { ServerAddress } from "../window/remembered-address.ts";
import { handleTapedeckErrors } from "../../core/base/errors.ts";
import type { Run } from "../../core/call/call.ts";
import type { Deck } from "../../deck/deck.ts";
import type { Admission } from "../../server/guard/guard.ts";
import type { GuardNote } from "../../server/guard-notes.ts";
import type { RunnerProcess } from "../../server/runner-process.ts";
import type { ListenOptions, ReplayServer } from "../../server/server.ts";

/** Of one folder, at the same time. */
const WINDOWS = 8;
const MAX_PORT = 65_535;

/** A server that admits the workspace's own run. */
export interface SessionServer {
  readonly server: ReplayServer;
  readonly admission: Admission;
}

/** The session's server, started when it is needed and at the same address again after it was closed. */
export type SessionServing = ReturnType<typeof createServing>;

interface ServingOptions {
  readonly deck: () => Deck;
  /** The workspace's own run. */
  readonly run: Run;
  /** The address of the last window, and the store for the address of this one. */
  readonly remembered: {
    read(): Promise<ServerAddress | undefined>;
    keep(address: ServerAddress): Promise<void>;
  };
  /** Absolute paths of the folders that tests are named in. */
  readonly roots: readonly string[];
  /** Called with processes in which tests began to run. */
  readonly onTests: (runner: RunnerProcess) => void;
  /** Called with the reports of processes. */
  readonly onGuard: (note: GuardNote) => void;
}

export function createServing(options: ServingOptions) {
  let current: SessionServer | undefined;
  let starting: Promise<SessionServer> | undefined;
  let before = 0;

  async function start(): Promise<SessionServer> {
    const address = await options.remembered.read();
    const { roots, onTests, onGuard } = options;
    const server = await listen(options.deck(), listPorts(address), { roots, onTests, onGuard });
    const admission = server.admit(options.run, address?.token);
    current = { server, admission };
    // A second window of the same folder has a nearby port, and does not replace the stored address.
    if (!listPorts(address).includes(server.port))
      // A slow or failing keyring must not block calls.
      options.remembered.keep({ port: server.port, token: admission.token }).catch(() => undefined);
    return current;
  }

  return {
    get current() {
      return current;
    },
    /** Number of requests that all servers of this window admitted. */
    get requests() {
      return before + (current?.server.requests ?? 0);
    },
    /** @throws TapedeckError if no port is free */
    ensure() {
      if (current) return Promise.resolve(current);
      starting ??= start().finally(() => (starting = undefined));
      return starting;
    },
    async close() {
      await starting?.catch(() => undefined);
      const closing = current;
      if (!closing) return;
      current = undefined;
      before += closing.server.requests;
      await closing.server.close();
    },
  };
}

/**
 * Returns the ports to try, in order. If several windows have the same folder, the first one has the stored port and the
 * others the next ones, so that each gets its port again after a reload.
 */
function listPorts(address: ServerAddress | undefined): readonly number[] {
  if (address === undefined) return [];
  const next = Array.from({ length: WINDOWS }, (_, index) => address.port + index);
  return next.filter((port) => port <= MAX_PORT);
}

/** Listens on the first free port of the list, or else on any. */
async function listen(
  deck: Deck,
  [port, ...others]: readonly number[],
  options: Pick<ListenOptions, "roots" | "onTests" | "onGuard">,
): Promise<ReplayServer> {
  if (port === undefined) return deck.listen(options);
  return deck.listen({ ...options, port }).catch(handleTapedeckErrors(() => listen(deck, others, options)));
}
