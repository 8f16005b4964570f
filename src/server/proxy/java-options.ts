import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, realpathSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import process from "node:process";

type Variables = Readonly<Record<string, string | undefined>>;

interface JavaOptions {
  /** For JAVA_TOOL_OPTIONS, after what stood there; undefined where no Java is there, or it cannot be led. */
  readonly options?: string;
  readonly notice?: string;
}

/** What every store of certificates of Java's has until somebody changes it. Source: keytool(1), "cacerts". */
const PASSWORD = "changeit";

/**
 * Java reads no variable for a proxy or for certificates: it takes them as options, and trusts a store of its own. That
 * store is copied, and Java's own keytool adds the authority.
 */
export function javaOptions(
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
    return { notice: NOT_LED };
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
  if (added.status !== 0) return { notice: NOT_LED };
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

const NOT_LED =
  "Java's programs are not led through the proxy: its keytool could not add a certificate to a copy of its own.";

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
