import { explain } from "../base/errors.ts";
import { PROVIDERS } from "./providers.ts";
import type { ProviderFacts, Variable } from "./base/protocol.ts";
import { parseUpstreamAddress } from "./upstream-address.ts";
import type { Environment } from "../base/environment.ts";

/** An address from the user's environment, before Tapedeck replaces it by its own. */
export interface OwnUpstream {
  readonly provider: string;
  readonly variable: string;
  /** Format of `Provider.upstream`. */
  readonly address: string;
  /** Path prefix that calls have here, but not at this address, e.g. "/v1"; "" for none. */
  readonly insteadOf: string;
}

export interface OwnUpstreams {
  /** At most one per provider. */
  readonly upstreams: readonly OwnUpstream[];
  /** Addresses from further variables of the same providers. */
  readonly besides: readonly OwnUpstream[];
  /** Invalid addresses. Calls to these providers are not sent to any other address. */
  readonly unusable: readonly Unusable[];
  /** Invalid addresses from further variables. Clients that read these bypass Tapedeck. */
  readonly unusableBesides: readonly Unusable[];
}

interface Unusable {
  readonly provider: string;
  /** One sentence that names the variable. */
  readonly problem: string;
}

/** Reads the user's addresses of gateways and proxies from the environment, except those that Tapedeck set. */
export function readOwnUpstreams(env: Environment): OwnUpstreams {
  const upstreams: OwnUpstream[] = [];
  const besides: OwnUpstream[] = [];
  const unusable: Unusable[] = [];
  const unusableBesides: Unusable[] = [];
  for (const provider of PROVIDERS) {
    const { name, variables, variablesOfOthers = [] } = provider;
    const isSet = (variable: Variable): boolean => isUsers(env[variable.name], env, provider);
    const [first, ...others] = variables.filter(isSet);
    let main = provider.upstream;
    for (const variable of [first, ...others, ...variablesOfOthers.filter(isSet)]) {
      if (variable === undefined) continue;
      try {
        const own = ownUpstream(name, variable, env[variable.name] ?? "");
        if (own.address === main) continue;
        if (variable === first) main = own.address;
        (variable === first ? upstreams : besides).push(own);
      } catch (error) {
        const problem = `${variable.name}: ${explain(error)}`;
        (variable === first ? unusable : unusableBesides).push({ provider: name, problem });
      }
    }
  }
  return { upstreams, besides, unusable, unusableBesides };
}

/** Parses an address. @throws TapedeckError if it is invalid */
function ownUpstream(provider: string, { name: variable, path }: Variable, value: string): OwnUpstream {
  const whole = parseUpstreamAddress(provider, webAddress(value));
  const hasPath = whole.endsWith(path);
  const address = hasPath ? whole.slice(0, whole.length - path.length) : whole;
  return { provider, variable, address, insteadOf: hasPath ? "" : path };
}

function isUsers(value: string | undefined, env: Environment, { name }: ProviderFacts): boolean {
  if (value === undefined || value.trim() === "") return false;
  const ours = env["TAPEDECK_URL"];
  if (ours !== undefined && ours !== "" && value.startsWith(`${ours}/${name}`)) return false;
  return true;
}

/** Completes the value of Ollama's variable, which is the server's listen address and can omit scheme, host, or port. */
function webAddress(value: string): string {
  const text = value.trim();
  if (/^[a-z]+:\/\//i.test(text)) return text.replace("//0.0.0.0", "//127.0.0.1");
  const [host = "", port = OLLAMA_PORT] = text.startsWith(":") ? ["", text.slice(1)] : text.split(":");
  return `http://${host === "" || host === "0.0.0.0" ? "127.0.0.1" : host}:${port}`;
}

/** Source: github.com/ollama/ollama/blob/main/envconfig/config.go, 2026-11. */
const OLLAMA_PORT = "11434";
