import type { WatchedStore, StoreChange } from "../../core/cassette/store.ts";
import type { Disposable, Key } from "../../core/call/call.ts";
import type { Recording, RecordingAddress } from "../../core/cassette/recording.ts";
import { readEntry } from "../../core/cassette/address.ts";
import { readCachedEntry } from "../../core/cassette/cached-ref.ts";
import type { RecordingView } from "../../core/view/describe.ts";
import {
  type CallFacts,
  readFactsFromFailure,
  type ReadFacts,
  collectSearchableText,
} from "./call-facts-model.ts";
import { createListeners } from "../../core/call/listeners.ts";

export interface IndexSources {
  readonly store: Pick<WatchedStore, "list" | "read" | "takes" | "watch">;
  /** Whether the file exists. The store looks up keys, and with rules it learns them a moment later. */
  readonly has: (entry: string) => boolean;
  readonly describe: (recording: Recording) => RecordingView;
  /** Called for every recording that is read for the first time, or again after a change. */
  readonly onRead?: (entry: string, recording: Recording) => void;
  /** Lets others run between two slices. */
  readonly pause: () => Promise<void>;
  /** Maximum characters of searchable text kept for one recording, and for all together. */
  readonly keep?: { readonly each: number; readonly all: number };
}

const SLICE = 16;
const KEEP = { each: 16_000, all: 48_000_000 };

/**
 * An index of a folder's recordings: all addresses, and the facts of the recordings that were read. After a change in the
 * folder, only changed files that were read before are read again.
 */
export class RecordingIndex implements Disposable {
  readonly #sources: IndexSources;
  readonly #changed = createListeners<void>();
  readonly #watching: Disposable;
  readonly #facts = new Map<string, CallFacts>();
  /** Entries whose facts may be older than their files. */
  readonly #suspect = new Set<string>();
  readonly #reading = new Map<string, Promise<void>>();
  #addresses: Map<string, RecordingAddress> | undefined;
  #listing: Promise<void> | undefined;
  /** For each listing in progress, the entries that changed since it started. */
  readonly #meanwhile = new Set<Set<string>>();
  #sweep: Promise<void> | undefined;
  #wanted = false;
  #kept = 0;
  #broken = 0;
  #disposed = false;
  /** Words that were searched for in all of a long recording. Facts are replaced when their file changes. */
  readonly #found = new WeakMap<ReadFacts, Map<string, boolean>>();
  /** Words to look for in long recordings, by entry. */
  readonly #searches = new Map<string, Set<string>>();
  #isSearching = false;

  constructor(sources: IndexSources) {
    this.#sources = sources;
    this.#watching = sources.store.watch((change) => this.#onStoreChange(change));
  }

  get progress(): { readonly read: number; readonly total: number; readonly reading: boolean } {
    return { read: this.#facts.size, total: this.#addresses?.size ?? 0, reading: this.#sweep !== undefined };
  }

  /** Number of recordings that were read and cannot be used. */
  get broken(): number {
    return this.#broken;
  }

  onDidChange(listener: () => void): Disposable {
    return this.#changed.add(listener);
  }

  /** Resolves to all recordings by entry. Lists file names only; cheap after the first time. */
  async addresses(): Promise<ReadonlyMap<string, RecordingAddress>> {
    if (this.#addresses === undefined) await (this.#listing ??= this.#list());
    return this.#addresses ?? new Map<string, RecordingAddress>();
  }

  facts(entry: string): CallFacts | undefined {
    return this.#facts.get(entry);
  }

  /** Undefined for an unknown entry, and before the first call of `addresses`. */
  keyOf(entry: string): Key | undefined {
    return this.#addresses?.get(entry)?.key;
  }

  /** Yields every recording with the facts that were read so far. */
  *known(): Iterable<readonly [RecordingAddress, CallFacts | undefined]> {
    for (const address of this.#addresses?.values() ?? []) yield [address, this.#facts.get(address.entry)];
  }

  /** Number of long recordings that still have to be read again for a search. */
  get searches(): number {
    return this.#searches.size;
  }

  /** Whether a lower-case word is in a recording; undefined while a long recording is read again for it. */
  contains(entry: string, facts: ReadFacts, word: string): boolean | undefined {
    if (facts.text.kept.includes(word)) return true;
    if (facts.text.whole) return false;
    const known = this.#found.get(facts)?.get(word);
    if (known !== undefined) return known;
    this.#searches.set(entry, (this.#searches.get(entry) ?? new Set<string>()).add(word));
    if (!this.#isSearching) void this.#searchLong();
    return undefined;
  }

  /** Number of takes of a recording's call, including the recording. */
  takesBeside(address: RecordingAddress): number {
    try {
      return this.#sources.store.takes(address.provider, address.key).length;
    } catch {
      return 1; // the folder became unreadable: the next listing reports it
    }
  }

  /** Reads a whole recording. @throws TapedeckError if the file is broken or gone */
  async read(entry: string): Promise<RecordingView> {
    return this.#sources.describe(await this.#sources.store.read(entry));
  }

  /** Reads the entries that are not known yet, except those of MetaGPT's cache. A broken file is a fact, not a failure. */
  async ensure(entries: Iterable<string>): Promise<void> {
    let slice: string[] = [];
    for (const entry of entries) {
      if (this.#isKnown(entry) || readCachedEntry(entry) !== undefined) continue;
      slice.push(entry);
      if (slice.length < SLICE) continue;
      await this.#readSlice(slice);
      slice = [];
    }
    if (slice.length > 0) await this.#readSlice(slice);
  }

  /** Starts reading all recordings in the background, also those that change later. */
  readAll(): void {
    this.#wanted = true;
    if (this.#disposed || this.#sweep !== undefined || this.#isAllKnown()) return;
    this.#sweep = this.#sweepAll()
      .catch(() => undefined) // the caller of `addresses` gets the error
      .finally(() => {
        this.#sweep = undefined;
        this.#notify();
      });
  }

  /** Resolves when nothing is being read in the background. */
  async settled(): Promise<void> {
    while (this.#sweep !== undefined) await this.#sweep;
  }

  /** Lists the folder again. Every file is read again when it is needed. */
  async refresh(): Promise<void> {
    for (const entry of this.#facts.keys()) this.#suspect.add(entry);
    await (this.#listing = this.#list());
    this.#notify();
    if (this.#wanted) this.readAll();
  }

  dispose(): void {
    this.#disposed = true;
    this.#searches.clear();
    this.#watching.dispose();
    this.#changed.clear();
  }

  #isAllKnown(): boolean {
    if (this.#addresses === undefined) return false;
    for (const entry of this.#addresses.keys()) if (!this.#isKnown(entry)) return false;
    return true;
  }

  async #sweepAll(): Promise<void> {
    for (;;) {
      const addresses = await this.addresses();
      const unknown = [...addresses.keys()].filter((entry) => !this.#isKnown(entry));
      if (unknown.length === 0) return;
      for (let at = 0; at < unknown.length; at += SLICE) {
        if (this.#disposed) return;
        await this.#readSlice(unknown.slice(at, at + SLICE));
      }
    }
  }

  async #searchLong(): Promise<void> {
    this.#isSearching = true;
    for (const [entry, words] of this.#searches) {
      const text = await this.read(entry).then(collectSearchableText, () => "");
      const facts = this.#facts.get(entry);
      if (facts?.kind === "read") {
        const found = this.#found.get(facts) ?? new Map<string, boolean>();
        for (const word of words) found.set(word, text.includes(word));
        this.#found.set(facts, found);
      }
      this.#searches.delete(entry);
      if (this.#searches.size % SLICE === 0) this.#notify();
      if (this.#disposed) return;
      await this.#sources.pause();
    }
    this.#isSearching = false;
  }

  async #readSlice(entries: readonly string[]): Promise<void> {
    await Promise.all(entries.map((entry) => this.#readOne(entry)));
    this.#notify();
    await this.#sources.pause();
  }

  #readOne(entry: string): Promise<void> {
    const known = this.#reading.get(entry);
    if (known !== undefined) return known;
    this.#suspect.delete(entry);
    const reading = this.#load(entry).finally(() => this.#reading.delete(entry));
    this.#reading.set(entry, reading);
    return reading;
  }

  async #load(entry: string): Promise<void> {
    let facts: CallFacts;
    try {
      const reading = await this.read(entry);
      this.#sources.onRead?.(entry, reading.recording);
      const { collectFacts } = await import("./read-facts-model.ts");
      facts = collectFacts(reading, this.#keepable());
    } catch (error) {
      facts = readFactsFromFailure(error);
    }
    this.#forget(entry);
    if (this.#addresses !== undefined && !this.#addresses.has(entry)) return;
    this.#facts.set(entry, facts);
    this.#kept += keptBy(facts);
    if (facts.kind === "broken") this.#broken += 1;
  }

  #keepable(): number {
    const { each, all } = this.#sources.keep ?? KEEP;
    return Math.max(0, Math.min(each, all - this.#kept));
  }

  #isKnown(entry: string): boolean {
    return this.#facts.has(entry) && !this.#suspect.has(entry);
  }

  #forget(entry: string): void {
    const facts = this.#facts.get(entry);
    this.#kept -= keptBy(facts);
    if (facts?.kind === "broken") this.#broken -= 1;
    this.#facts.delete(entry);
  }

  async #list(): Promise<void> {
    const meanwhile = new Set<string>();
    this.#meanwhile.add(meanwhile);
    try {
      const list = await this.#sources.store.list();
      // A listing that started later has already ended, and is newer.
      if (!this.#meanwhile.has(meanwhile)) return;
      for (const one of this.#meanwhile) {
        this.#meanwhile.delete(one);
        if (one === meanwhile) break;
      }
      this.#addresses = new Map(list.map((address) => [address.entry, address]));
      for (const entry of meanwhile) this.#renew(entry, this.#addresses);
      for (const entry of this.#facts.keys()) if (!this.#addresses.has(entry)) this.#forget(entry);
    } finally {
      this.#meanwhile.delete(meanwhile);
      if (this.#meanwhile.size === 0) this.#listing = undefined;
    }
  }

  #onStoreChange(change: StoreChange): void {
    if (change.entry !== undefined) for (const one of this.#meanwhile) one.add(change.entry);
    if (this.#addresses === undefined) return this.#notify();
    if (change.entry === undefined) {
      this.refresh().catch(() => this.#notify());
      return;
    }
    this.#renew(change.entry, this.#addresses);
    this.#notify();
    if (this.#wanted) this.readAll();
  }

  #renew(entry: string, addresses: Map<string, RecordingAddress>): void {
    const address = readEntry(entry);
    if ("wrong" in address) return;
    if (this.#sources.has(entry)) {
      addresses.set(entry, address);
      if (this.#facts.has(entry) || this.#reading.has(entry)) this.#suspect.add(entry);
    } else {
      addresses.delete(entry);
      this.#suspect.delete(entry);
      this.#forget(entry);
    }
  }

  #notify(): void {
    if (!this.#disposed) this.#changed.notify();
  }
}

function keptBy(facts: CallFacts | undefined): number {
  return facts?.kind === "read" ? facts.text.kept.length : 0;
}
