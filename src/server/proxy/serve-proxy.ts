import { localize } from "../../core/base/localize.ts";
import { copyFileSync, existsSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { rootCertificates } from "node:tls";
import { type ProxyOptions, listenAsProxy } from "./proxy.ts";
import { spawnSync } from "node:child_process";

type Variables = Readonly<Record<string, string | undefined>>;

export type ServedProxy = Awaited<ReturnType<typeof serveProxy>>;

interface ProxyEnvironmentOptions {
  /** The environment of the processes that use the proxy. */
  readonly base: Variables;
  /** Hosts that no proxy is to see. */
  readonly direct: readonly string[];
  readonly makeFolder: (purpose: string) => string;
}

/**
 * Starts a proxy. Clients that read its variables go through it and trust its authority beside all that they trusted
 * before. Their files lie in a folder of the proxy's own; the authority's key is in none of them.
 */
export async function serveProxy(options: ProxyOptions & ProxyEnvironmentOptions) {
  const { base, direct, makeFolder } = options;
  const proxy = await listenAsProxy(options);
  const folder = makeFolder("proxy");
  const file = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const { certificate } = proxy;
  const all = file("all.pem", `${await readTrusted(base)}\n${certificate}`);
  const extra = file("extra.pem", `${await readIfThere(base["NODE_EXTRA_CA_CERTS"])}\n${certificate}`);
  const own = file("authority.pem", certificate);
  // PHP adds the settings in these folders to its own; an empty name means the folder that it was built with.
  file("tapedeck.ini", `curl.cainfo="${all}"\nopenssl.cafile="${all}"\n`);
  const java = createJavaOptions(proxy.port, { folder, authority: own, base });
  if (java.notice !== undefined) options.onNotice(java.notice);
  const common = {
    // Hosts that the user's own proxy is not to see are kept from it by ours.
    ...both("NO_PROXY", direct.join(",")),
    NODE_EXTRA_CA_CERTS: extra,
    ...Object.fromEntries(BUNDLES.map((name) => [name, all])),
    PHP_INI_SCAN_DIR: `${base["PHP_INI_SCAN_DIR"] ?? ""}${delimiter}${folder}`,
    ...(java.options !== undefined && { JAVA_TOOL_OPTIONS: java.options }),
  };
  return {
    /** Returns the variables for the processes of the run with this token, which is let in from then on. */
    envFor(token: string): Readonly<Record<string, string>> {
      const url = proxy.urlFor(token);
      return {
        ...both("HTTPS_PROXY", url),
        ...both("HTTP_PROXY", url),
        ...both("ALL_PROXY", url),
        // aiohttp and urllib read one for each scheme.
        ...both("WS_PROXY", url),
        ...both("WSS_PROXY", url),
        ...common,
      };
    },
    async close(): Promise<void> {
      await proxy.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** OpenSSL, Go, Ruby and Rust's native roots; requests; curl; AWS; pip; git; cargo; Deno; gRPC. */
const BUNDLES = [
  "SSL_CERT_FILE",
  "REQUESTS_CA_BUNDLE",
  "CURL_CA_BUNDLE",
  "AWS_CA_BUNDLE",
  "PIP_CERT",
  "GIT_SSL_CAINFO",
  "CARGO_HTTP_CAINFO",
  "DENO_CERT",
  "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
];

function both(name: string, value: string): Record<string, string> {
  return { [name]: value, [name.toLowerCase()]: value };
}

/** Where Debian, Fedora, openSUSE, Alpine, macOS and FreeBSD have what they trust. */
const SYSTEM = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/ca-bundle.pem",
  "/etc/ssl/cert.pem",
];

/** What clients trusted so far: the user's own list, else the system's, else Mozilla's as Node has it. */
async function readTrusted(base: Variables): Promise<string> {
  const named = ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"].map((name) => base[name] ?? "");
  for (const path of [...named, ...SYSTEM]) {
    const text = await readIfThere(path);
    if (text !== "") return text;
  }
  return rootCertificates.join("\n");
}

async function readIfThere(path: string | undefined): Promise<string> {
  if (path === undefined || path === "") return "";
  return readFile(path, "utf8").catch(() => "");
}

interface JavaOptions {
  /**
   * The value of JAVA_TOOL_OPTIONS, with its previous value first; undefined if Java is not installed, or cannot use
   * the proxy.
   */
  readonly options?: string;
  readonly notice?: string;
}

/** The default password of Java's certificate stores. Source: keytool(1), "cacerts". */
const PASSWORD = "changeit";

/**
 * Returns the options that route Java through the proxy. Java reads no environment variable for a proxy or for
 * certificates: it takes them as options, and trusts its own certificate store. A copy of that store gets Tapedeck's
 * authority, added by Java's own keytool.
 */
export function createJavaOptions(
  port: number,
  {
    folder,
    authority,
    base,
  }: { readonly folder: string; readonly authority: string; readonly base: Variables },
): JavaOptions {
  const keytool = findKeytool(base);
  if (keytool === undefined) return {};
  const store = join(folder, "java-certificates");
  try {
    copyFileSync(join(dirname(keytool), "..", "lib", "security", "cacerts"), store);
  } catch {
    return { notice: javaNotProxied() };
  }
  const added = spawnSync(
    keytool,
    [
      "-importcert",
      "-noprompt",
      "-alias",
      "tapedeck",
      "-file",
      authority,
      "-keystore",
      store,
      "-storepass",
      PASSWORD,
    ],
    { stdio: "ignore" },
  );
  if (added.status !== 0) return { notice: javaNotProxied() };
  const before = base["JAVA_TOOL_OPTIONS"];
  return {
    options: [
      ...(before ? [before] : []),
      ...["https", "http"].flatMap((name) => [
        `-D${name}.proxyHost=127.0.0.1`,
        `-D${name}.proxyPort=${port}`,
      ]),
      `-Djavax.net.ssl.trustStore=${store}`,
      `-Djavax.net.ssl.trustStorePassword=${PASSWORD}`,
    ].join(" "),
  };
}

const javaNotProxied = (): string =>
  localize(
    "Java programs do not use the proxy: keytool could not add a certificate to a copy of Java's certificate store.",
  );

function findKeytool(base: Variables): string | undefined {
  const name = process.platform === "win32" ? "keytool.exe" : "keytool";
  const home = base["JAVA_HOME"];
  const folders = [...(home ? [join(home, "bin")] : []), ...(base["PATH"] ?? "").split(delimiter)];
  const found = folders
    .filter((folder) => folder !== "")
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));
  return found === undefined ? undefined : realpathSync(found);
}
