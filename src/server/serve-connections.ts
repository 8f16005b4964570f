import { createGuard, type Admissions } from "./guard/guard.ts";
import { takeTunnels } from "./guard/tunnels.ts";
import { serveHttp2, type Http2Patience } from "./http/http2.ts";
import type { HttpServer } from "./http/messages.ts";
import { answerNoRequests } from "./http/no-request.ts";
import { takeUpgrades } from "./http/upgrade.ts";
import { createHandler, type IncomingOptions } from "./incoming.ts";
import type { ProviderTable } from "../core/protocol/registry.ts";

export interface ConnectionOptions extends IncomingOptions {
  readonly port: number;
  readonly admissions: Admissions;
  readonly patience: Http2Patience;
  readonly maxHeaderBytes: number;
  /** Those to whose hosts connections may be redirected; none where absent. */
  readonly providers?: ProviderTable;
}

/** Answers the requests on a server's connections, and what is no request. */
export function serveConnections(server: HttpServer, options: ConnectionOptions): void {
  const { port, admissions, patience } = options;
  const tunnels = takeTunnels(server, options);
  const take = createHandler({ port, guard: createGuard(port), admissions, tunnels, options });
  server.on("request", take);
  // Clients that send `Expect: 100-continue` get their response before they send a body.
  server.on("checkContinue", take);
  takeUpgrades(server, take);
  const takeHttp2 = serveHttp2(patience, (stream, socket) => {
    tunnels.extend(socket, stream);
    server.emit("connection", stream);
  });
  answerNoRequests(server, {
    ...options,
    takeHttp2,
    onTls: tunnels.noteTls,
  });
}
