import { proxyEnvironment, type ProxyEnvironmentOptions } from "./environment.ts";
import { listenAsProxy, type ProxyOptions } from "./proxy.ts";

/** A proxy that listens, and what processes need that come by it. */
export interface ServedProxy {
  /** Of the run with this token, which is let in from then on. */
  envFor(token: string): Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** Starts a proxy, and writes the files that its clients need. */
export async function serveProxy(options: ProxyOptions & ProxyEnvironmentOptions): Promise<ServedProxy> {
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
