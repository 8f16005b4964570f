import { proxyEnvironment } from "./environment.ts";
import { listenAsProxy, type ProxyOptions } from "./proxy.ts";

/** A proxy that listens, and what processes need that come by it. */
export interface ServedProxy {
  /** Of the run with this token, which is let in from then on. */
  envFor(token: string): Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** Starts a proxy. `base`: the environment of the processes that come by it; `direct`: hosts that no proxy is to see. */
export async function serveProxy(
  options: ProxyOptions & {
    readonly base: Readonly<Record<string, string | undefined>>;
    readonly direct: readonly string[];
  },
): Promise<ServedProxy> {
  const proxy = await listenAsProxy(options);
  const environment = await proxyEnvironment(proxy, options);
  for (const notice of environment.notices) options.onNotice(notice);
  return {
    envFor: (token) => environment.envFor(token),
    async close() {
      await proxy.close();
      environment.dispose();
    },
  };
}
