import { addressOf } from "../core/cassette/address.ts";
import type { TakeTurn, Turn } from "../core/source/in-turn.ts";
import { bytesOf, utf8 } from "../core/wire/text.ts";
import type { RemoteStore } from "../remote/remote-store.ts";
import { openObject } from "../remote/sealed/seal.ts";
import { claimOf, givenBack, objectOf } from "./names.ts";
import { addSealed, type Sending } from "./send.ts";
import type { Using } from "./using.ts";

/** So long the others wait for whoever makes a call; then one of them makes it as well. Once in vain, half as long. */
const LEASE_MS = 30_000;
/** A claim that is older was left by somebody. Clocks of machines differ by less. */
const STALE_MS = 600_000;
/** So many claims of others are waited for. */
const MOST_CLAIMS = 3;
const FIRST_LOOK_MS = 40;
const LONGEST_BETWEEN_LOOKS_MS = 640;

const OURS: Turn = { giveBack: () => {} };

/**
 * Of many machines that are about to make the same call, one does and the others wait for its recording. Whoever is
 * killed costs the others a wait, and the call is made once more.
 */
export function createClaims(using: Using): TakeTurn {
  let leaseMs = LEASE_MS;
  return async (provider, key, gone) => {
    for (let number = 1; number <= MOST_CLAIMS; number += 1) {
      const claim = claimOf(using.settings.scope, { provider, key, number });
      const claimed = await using.connection.ask((store, signal) =>
        store.access.mayWrite ? addSealed(claim, stampOf(using), sending(using, store, signal)) : noClaim(),
      );
      if (claimed === undefined || claimed.value === undefined || gone.aborted) return OURS;
      if (claimed.value === "added") return { giveBack: () => void giveBack(claim, using) };
      const made = objectOf(using.settings.scope, addressOf(provider, key, 1).entry);
      const became = await waitFor({ claim, made, leaseMs }, using, gone);
      if (became === "late") leaseMs /= 2;
      if (became === "made") return "made";
      if (became === "unknown") return OURS;
    }
    return OURS;
  };
}

const noClaim = (): Promise<undefined> => Promise.resolve(undefined);

function sending({ settings }: Using, store: RemoteStore, signal: AbortSignal): Sending {
  return { store, signal, ...settings, encrypt: false };
}

const stampOf = ({ clock }: Using): Uint8Array => bytesOf(String(clock.now()));

async function giveBack(claim: string, using: Using): Promise<void> {
  await using.connection.ask((store, signal) =>
    addSealed(givenBack(claim), stampOf(using), sending(using, store, signal)),
  );
}

interface Awaited {
  readonly claim: string;
  /** Its first take. */
  readonly made: string;
  readonly leaseMs: number;
}

/** `left`: nobody makes it any more. `late`: nobody did in time. */
async function waitFor(
  { claim, made, leaseMs }: Awaited,
  using: Using,
  gone: AbortSignal,
): Promise<"made" | "left" | "late" | "unknown"> {
  const { connection, clock } = using;
  const end = clock.ticks() + leaseMs;
  let isOld: boolean | undefined;
  for (
    let between = FIRST_LOOK_MS;
    !gone.aborted;
    between = Math.min(2 * between, LONGEST_BETWEEN_LOOKS_MS)
  ) {
    const seen = await connection.ask(async (store, signal) => {
      if ((await store.get(made, signal)) !== undefined) return "made";
      isOld ??= await isStale(claim, using, { store, signal });
      if (isOld) return "left";
      return (await store.get(givenBack(claim), signal)) === undefined ? "waiting" : "left";
    });
    if (seen === undefined) return "unknown";
    if (seen.value !== "waiting") return seen.value;
    if (clock.ticks() > end) return "late";
    await clock.wait(between, gone);
  }
  return "unknown";
}

async function isStale(
  claim: string,
  { settings, clock }: Using,
  { store, signal }: Pick<Sending, "store" | "signal">,
): Promise<boolean> {
  const sealed = await store.get(claim, signal);
  if (sealed === undefined) return true;
  const opened = openObject(claim, sealed, settings.keys);
  const at = "bytes" in opened ? Number(utf8(opened.bytes)) : Number.NaN;
  // Whoever claims what is not theirs to claim keeps nobody waiting.
  return !(Math.abs(clock.now() - at) < STALE_MS);
}
