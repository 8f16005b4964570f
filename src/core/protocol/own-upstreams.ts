import { explain } from "../errors.ts";
import { PROVIDERS } from "./providers.ts";
import type { Provider } from "./protocol.ts";
import { upstreamAddress } from "./upstream-address.ts";

/** An address that the user's own environment gave a provider before ours took its place. */
export interface OwnUpstream {
  readonly provider: string;
  readonly variable: string;
  /** As `Provider.upstream`. */
  readonly address: string;
  /** What its calls begin with here and not there, e.g. "/v1"; "" for nothing. */
  readonly insteadOf: string;
}

export interface OwnUpstreams {
  readonly upstreams: readonly OwnUpstream[];
  /** Addresses to which nothing can be sent: the provider's calls must not go anywhere else instead. */
  readonly unusable: readonly { readonly provider: string; readonly problem: string }[];
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Who calls a gateway, a proxy or another company by a variable goes on calling that one. Ours is none of the user's. */
export function ownUpstreams(env: Environment): OwnUpstreams {
  const upstreams: OwnUpstream[] = [];
  const unusable: { provider: string; problem: string }[] = [];
  for (const provider of PROVIDERS) {
    const said = provider.variables.find(({ name }) => isTheirs(env[name], env, provider));
    if (said === undefined) continue;
    const { name } = provider;
    try {
      const whole = upstreamAddress(name, webAddress(env[said.name] ?? ""));
      const hasPath = whole.endsWith(said.path);
      const address = hasPath ? whole.slice(0, whole.length - said.path.length) : whole;
      if (address !== provider.upstream)
        upstreams.push({
          provider: name,
          variable: said.name,
          address,
          insteadOf: hasPath ? "" : said.path,
        });
    } catch (error) {
      unusable.push({ provider: name, problem: `${said.name}: ${explain(error)}` });
    }
  }
  return { upstreams, unusable };
}

function isTheirs(value: string | undefined, env: Environment, { name }: Provider): boolean {
  if (value === undefined || value.trim() === "") return false;
  const ours = env["TAPEDECK_URL"];
  if (ours !== undefined && ours !== "" && value.startsWith(`${ours}/${name}`)) return false;
  return true;
}

/** Ollama's variable may leave out the scheme, the host or the port, and names the address its server listens on. */
function webAddress(said: string): string {
  const text = said.trim();
  if (/^[a-z]+:\/\//i.test(text)) return text.replace("//0.0.0.0", "//127.0.0.1");
  const [host = "", port = OLLAMA_PORT] = text.startsWith(":") ? ["", text.slice(1)] : text.split(":");
  return `http://${host === "" || host === "0.0.0.0" ? "127.0.0.1" : host}:${port}`;
}

/** Source: github.com/ollama/ollama/blob/main/envconfig/config.go, 2026-11. */
const OLLAMA_PORT = "11434";
