import type { Agent } from "node:http";
import { getProxyForUrl } from "proxy-from-env";

const agents = new Map<string, Agent>();

/**
 * The agent that goes through the proxy of HTTPS_PROXY or ALL_PROXY (either case) unless NO_PROXY names the host;
 * undefined where there is none. Every address that is not on this machine is https: the proxy sees no more than a name.
 */
export async function findAgent(url: string): Promise<Agent | undefined> {
  const proxy = getProxyForUrl(url);
  if (proxy === "") return undefined;
  const known = agents.get(proxy);
  if (known !== undefined) return known;
  const { HttpsProxyAgent } = await import("https-proxy-agent");
  const agent = new HttpsProxyAgent(proxy, { keepAlive: true, timeout: IDLE_MS });
  agents.set(proxy, agent);
  return agent;
}

/** Milliseconds after which an agent closes a connection that is not in use. */
export const IDLE_MS = 30_000;

/**
 * Returns the option that keeps certificate checks on if a shell, a container, or a test run has set the variable that
 * turns them off: these connections send API keys. Otherwise returns no option, so that the editor's setting applies.
 */
export function checkInSpiteOf(env: NodeJS.ProcessEnv): { readonly rejectUnauthorized?: true } {
  return env["NODE_TLS_REJECT_UNAUTHORIZED"] === "0" ? { rejectUnauthorized: true } : {};
}
