import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { readFields, tryParsePlainJson } from "../../core/base/lenient.ts";
import type { OwnUpstreams } from "../../core/protocol/own-upstreams.ts";
import { isProviderName, parseUpstreamAddress } from "../../core/protocol/upstream-address.ts";
import { readBytesNow } from "../folder/read-file.ts";
import { replaceWhole } from "../folder/durable-write.ts";

/** Addresses by provider, e.g. `{ openai: "http://gateway:4000" }`. */
type Upstreams = Readonly<Record<string, string>>;

/**
 * Remembers from which addresses you record into a cassette folder, so that you name them once. They are kept in your
 * home folder and not in the project, because a clone must not say where your keys are sent. `state` is your folder for
 * state that programs keep.
 * @throws if the home folder cannot be written.
 */
export async function rememberUpstreams(dir: string, upstreams: Upstreams, state: string): Promise<void> {
  const { folder, cassettes, file } = locateState(dir, state);
  const all = { ...readUpstreams(dir, state), ...upstreams };
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await replaceWhole(file, `${JSON.stringify({ version: 1, folder: cassettes, upstreams: all })}\n`, 0o600);
}

/** Returns the remembered addresses by provider, except of providers whose address a variable of yours names. */
export function recallUpstreams(dir: string, state: string, own: OwnUpstreams): Upstreams {
  const named = new Set([...own.upstreams, ...own.unusable].map(({ provider }) => provider));
  return Object.fromEntries(
    Object.entries(readUpstreams(dir, state)).filter(([provider]) => !named.has(provider)),
  );
}

function readUpstreams(dir: string, state: string): Upstreams {
  const { cassettes, file } = locateState(dir, state);
  const { version, folder, upstreams } = readFields(tryParsePlainJson(textOf(file)));
  if (version !== 1 || folder !== cassettes) return {};
  return Object.fromEntries(
    Object.entries(readFields(upstreams)).flatMap(([provider, address]) =>
      typeof address === "string" && isUsable(provider, address) ? [[provider, address]] : [],
    ),
  );
}

function isUsable(provider: string, address: string): boolean {
  try {
    return isProviderName(provider) && parseUpstreamAddress(provider, address) !== "";
  } catch {
    return false;
  }
}

function locateState(dir: string, state: string) {
  const cassettes = realFolder(resolve(dir));
  const folder = join(state, "tapedeck", "upstreams");
  const name = createHash("sha256").update(cassettes).digest("hex").slice(0, 32);
  return { folder, cassettes, file: join(folder, `${name}.json`) };
}

/** The first recording creates the cassette folder, so only the folder above it is certain to exist. */
function realFolder(dir: string): string {
  try {
    return join(realpathSync(dirname(dir)), basename(dir));
  } catch {
    return dir;
  }
}

function textOf(path: string): string {
  try {
    return readBytesNow(path).toString("utf8");
  } catch {
    return "";
  }
}
