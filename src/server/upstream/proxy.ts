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
  const agent = new HttpsProxyAgent(proxy, { keepAlive: true });
  agents.set(proxy, agent);
  return agent;
}
