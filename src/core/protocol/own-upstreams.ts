import { explain } from "../base/errors.ts";
import { PROVIDERS } from "./providers.ts";
import type { ProviderFacts, Variable } from "./base/protocol.ts";
import { upstreamAddress } from "./upstream-address.ts";
import type { Environment } from "../base/environment.ts";

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
  /** One for a provider at most. */
  readonly upstreams: readonly OwnUpstream[];
  /** Other addresses that further variables of the same providers name. */
  readonly besides?: readonly OwnUpstream[];
  /** Addresses to which nothing can be sent: the provider's calls must not go anywhere else instead. */
  readonly unusable: readonly Unusable[];
  /** The same of further variables: clients that read these call there, past us. */
  readonly unusableBesides?: readonly Unusable[];
}

interface Unusable {
  readonly provider: string;
  /** One sentence, with the variable. */
  readonly problem: string;
}

/** Who calls a gateway, a proxy or another company by a variable goes on calling that one. Ours is none of the user's. */
export function ownUpstreams(env: Environment): OwnUpstreams {
  const upstreams: OwnUpstream[] = [];
  const besides: OwnUpstream[] = [];
  const unusable: Unusable[] = [];
  const unusableBesides: Unusable[] = [];
  for (const provider of PROVIDERS) {
    const { name, variables, variablesOfOthers = [] } = provider;
    const isSaid = (variable: Variable): boolean => isTheirs(env[variable.name], env, provider);
    const [first, ...others] = variables.filter(isSaid);
    let main = provider.upstream;
    for (const variable of [first, ...others, ...variablesOfOthers.filter(isSaid)]) {
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
  return {
    upstreams,
    ...(besides.length > 0 && { besides }),
    unusable,
    ...(unusableBesides.length > 0 && { unusableBesides }),
  };
}

/** @throws TapedeckError for an address to which nothing can be sent. */
function ownUpstream(provider: string, { name: variable, path }: Variable, value: string): OwnUpstream {
  const whole = upstreamAddress(provider, webAddress(value));
  const hasPath = whole.endsWith(path);
  const address = hasPath ? whole.slice(0, whole.length - path.length) : whole;
  return { provider, variable, address, insteadOf: hasPath ? "" : path };
}

function isTheirs(value: string | undefined, env: Environment, { name }: ProviderFacts): boolean {
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
