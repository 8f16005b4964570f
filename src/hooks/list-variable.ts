/** Returns the entries of a variable that holds a list, without empty ones, which mean the working directory in PYTHONPATH. */
export function splitList(list: string | undefined, separator: string): readonly string[] {
  return (list ?? "")
    .split(separator)
    .map((entry) => (separator === "," ? entry.trim() : entry))
    .filter((entry) => entry !== "");
}

/** Returns `list` with these entries moved to one of its ends. */
export function joinList(
  list: string | undefined,
  {
    how,
    value,
    separator,
  }: { readonly how: "append" | "prepend"; readonly value: string; readonly separator: string },
): string {
  const ours = splitList(value, separator);
  const theirs = splitList(list, separator).filter((entry) => !ours.includes(entry));
  return (how === "append" ? [...theirs, ...ours] : [...ours, ...theirs]).join(separator);
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Names that clients use for this machine. Calls to them must not go through a proxy, which would see the keys. */
export const LOCAL_HOSTS: readonly string[] = ["127.0.0.1", "localhost", "::1"];

/** Some clients read only one of these, and others prefer one, so both are set. */
export const NO_PROXY_NAMES = ["NO_PROXY", "no_proxy"] as const;

/** Returns both variables with the local hosts added. One that is not set in `base` gets the hosts of the other. */
export function createNoProxyVariables(base: Variables): Record<string, string> {
  return Object.fromEntries(
    NO_PROXY_NAMES.map((name) => [name, withLocalHosts(createOwnNoProxy(base, name))]),
  );
}

/** Returns the value for a client that reads this spelling first. "" if neither spelling is set. */
export function createOwnNoProxy(base: Variables, name: (typeof NO_PROXY_NAMES)[number]): string {
  return [base[name], ...NO_PROXY_NAMES.map((other) => base[other])].find(isSet) ?? "";
}

/** Returns `list` with the missing local hosts at its end. */
export function withLocalHosts(list: string): string {
  const hosts = splitList(list, ",");
  if (hosts.length === 1 && hosts[0] === "*") return "*"; // many clients accept it only as the single entry
  return [...hosts, ...LOCAL_HOSTS.filter((host) => !hosts.includes(host))].join(",");
}

/** Returns the name of the variable that sends plain HTTP through a proxy; undefined if none is set. */
export function findProxyVariable(base: Variables): string | undefined {
  return ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"].find((name) => isSet(base[name]));
}

const isSet = (value: string | undefined): value is string => value !== undefined && value.trim() !== "";
