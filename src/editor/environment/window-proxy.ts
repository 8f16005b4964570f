import { localize } from "../../core/base/localize.ts";
import { makeTemporaryFolder } from "../../storage/local/temporary-folder.ts";
import type { ProviderTable } from "../../core/protocol/registry.ts";
import { explain } from "../../core/base/errors.ts";
import { LOCAL_HOSTS } from "../../hooks/list-variable.ts";
import type { ServedProxy } from "../../server/proxy/serve-proxy.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** A folder's proxy for programs in every language. Its authority is made when it is first wanted, and ends with the window. */
export type WindowProxy = ReturnType<typeof createWindowProxy>;

export interface WindowProxyOptions {
  /** Of the replay server; undefined while there is none. */
  readonly port: () => number | undefined;
  readonly providers: () => ProviderTable;
  /** What processes would have without us. */
  readonly base: () => Variables;
  readonly warn: (message: string) => void;
}

/** An open terminal keeps the proxy's address, so it stays as it is while the server comes and goes. */
export function createWindowProxy({ port, providers, base, warn }: WindowProxyOptions) {
  let serving: Promise<ServedProxy> | undefined;

  async function serve(token: string): Promise<ServedProxy> {
    const { serveProxy } = await import("../../server/proxy/serve-proxy.ts");
    return serveProxy({
      makeFolder: makeTemporaryFolder,
      port: () => port() ?? 0,
      token,
      providers,
      base: base(),
      direct: LOCAL_HOSTS,
      onNotice: warn,
    });
  }

  return {
    /**
     * Returns the variables that send the processes of the run with this token through the proxy. Empty if it cannot be
     * started; the log has the reason. Connections without a token belong to the first run.
     */
    async variables(token: string) {
      try {
        serving ??= serve(token);
        return (await serving).envFor(token);
      } catch (error) {
        serving = undefined;
        warn(localize("The proxy could not be started: {0}", explain(error)));
        return {};
      }
    },
    async close() {
      const closing = serving;
      serving = undefined;
      await (await closing?.catch(() => undefined))?.close();
    },
  };
}
