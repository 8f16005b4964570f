import { createHash } from "node:crypto";
import { onTestFinished } from "vitest";
import type { RemoteAddress } from "../../src/remote/address/remote-address.ts";
import { openRemote } from "../../src/remote/open-remote.ts";
import type { RemoteStore } from "../../src/remote/remote-store.ts";

/** Nobody gives up. */
export const never = new AbortController().signal;

/** Opens a remote, to be closed when the test ends. */
export async function openFor(what: "read" | "write", address: RemoteAddress): Promise<RemoteStore> {
  const remote = await openRemote(address, { write: what === "write", signal: never });
  onTestFinished(() => remote.close());
  return remote;
}

/** The folder and file of a key: "3f/3f9a…". */
export function aKey(of: string): string {
  const hex = createHash("sha256").update(of).digest("hex");
  return `${hex.slice(0, 2)}/${hex}`;
}

export async function textOf(remote: RemoteStore, object: string): Promise<string | undefined> {
  const bytes = await remote.get(object, never);
  return bytes && Buffer.from(bytes).toString();
}

/** All names below a prefix, sorted. */
export async function namesOf(
  remote: RemoteStore,
  prefix: string,
  signal = never,
): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const page of remote.list(prefix, signal)) names.push(...page);
  return names.sort();
}
