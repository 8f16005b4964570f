/** Kinds of values that a process makes up, as keys and recordings name them. */
export type ValueKind =
  | "uuid"
  | "random"
  | "temp"
  | "temp folder"
  | "port"
  | "pid"
  | "home"
  | "project"
  | "repository"
  | "host"
  | "zone"
  | "user";

/** A value that a process made up. */
export interface PooledValue {
  readonly kind: ValueKind;
  /** Position among all values of the run, in the order in which they were made. */
  readonly order: number;
}

/** A text whose place in a request is found by searching for it: a folder, or a name of the machine. */
export interface PlaceValue extends PooledValue {
  readonly text: string;
  /** The part of its name that the program chose, such as "job-". */
  readonly name?: string;
}

/** The oldest values that no request has used are dropped. */
const MOST_VALUES = 4_096;
const MOST_FOLDERS = 128;
/** Characters that make the name of a folder unlike any other. */
const CHANCE_IN_NAME = 6;
/** Characters of random text that are kept. */
const MOST_DRAWN = 262_144;
/** Reports of values that are kept as they came. */
const MOST_WAITING = 2_048;
/** Shorter parts of random text may be anything. */
const SHORTEST_PART = 6;

const SHORTEST: Partial<Record<ValueKind, number>> = { port: 4, pid: 3, uuid: 32, random: 6 };
const LONGEST_TOKEN = 1_024;

/**
 * Values that the processes of a run made up. They stay in memory. Random text is also found by a part of it, such as the first
 * eight digits of a UUID.
 */
export class ValuePool {
  readonly #tokens = new Map<string, PooledValue>();
  /** Random texts by their number, and the newest one with each hash of `SHORTEST_PART` characters. */
  readonly #drawn = new Map<number, { readonly text: string; readonly order: number }>();
  readonly #parts = new Map<number, number>();
  #drawnLength = 0;
  #folders: readonly PlaceValue[] = [];
  readonly #zoneNames = new Map<string, PlaceValue>();
  #made = 0;
  readonly #zones = new Set<number>([0]);
  #waiting: (() => void)[] = [];
  #hasMade = false;

  /** Reads the reports of processes that ended and may have printed what they made. Called once for each request. */
  readMore: () => void = () => undefined;

  /** Whether a process reported more than every process does: its id and its time zone. */
  get hasMade(): boolean {
    return this.#hasMade;
  }

  /** Offsets of the processes' time zones from UTC, in minutes. */
  get zones(): ReadonlySet<number> {
    this.#addWaiting();
    return this.#zones;
  }

  /** Temporary folders, the longest first, and names of time zones. */
  get places(): readonly PlaceValue[] {
    this.#addWaiting();
    return [...this.#folders, ...this.#zoneNames.values()];
  }

  /** Has values added before the next search. A run whose calls are all recorded as they are sent makes none. */
  addLater(add: () => void, hasMade: boolean): void {
    this.#hasMade ||= hasMade;
    this.#waiting.push(add);
    if (this.#waiting.length >= MOST_WAITING) this.#addWaiting();
  }

  #addWaiting(): void {
    if (this.#waiting.length === 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const add of waiting) add();
  }

  /** Adds a time zone of a process, whose name is a place: "Time zone: CET". */
  addZone(minutes: number, name: string): void {
    this.#zones.add(minutes);
    if (name !== "") this.#zoneNames.set(name, { kind: "zone", text: name, order: 0 });
  }

  /** Adds a value that a process obtained. Values too short to be distinguished from ordinary words are ignored. */
  add(kind: ValueKind, text: string, name = ""): void {
    if (text.length < (SHORTEST[kind] ?? 2) || text.length > LONGEST_TOKEN) return;
    const value = { kind, order: (this.#made += 1) };
    if (kind === "temp folder") {
      const spellings = spellFolder(text, name);
      const others = this.#folders.filter((folder) => !spellings.includes(folder.text));
      const kept = others.toSorted((a, b) => b.order - a.order).slice(0, MOST_FOLDERS - spellings.length);
      const made = spellings.map((spelling) => ({ ...value, text: spelling, name }));
      this.#folders = [...kept, ...made].toSorted((a, b) => b.text.length - a.text.length);
      return;
    }
    this.#addToken(text, value);
    const plain = kind === "uuid" ? text.replaceAll("-", "") : text;
    if (kind === "uuid") {
      this.#addToken(plain, value);
      // A widespread short form, which may have only digits.
      this.#addToken(text.slice(0, 8), { ...value, kind: "random" });
    }
    if (kind === "uuid" || kind === "random") this.addDrawn(plain);
  }

  /** Adds random text that a program cuts into ids. */
  addDrawn(text: string): void {
    const number = (this.#made += 1);
    this.#drawn.set(number, { text, order: number });
    this.#drawnLength += text.length;
    for (const part of hashParts(text)) this.#parts.set(part, number);
    for (const [oldest, { text: dropped }] of this.#drawn) {
      if (this.#drawnLength <= MOST_DRAWN || oldest === number) break;
      this.#drawn.delete(oldest);
      this.#drawnLength -= dropped.length;
      for (const part of hashParts(dropped)) if (this.#parts.get(part) === oldest) this.#parts.delete(part);
    }
  }

  /** Returns the value that a token of a request is; undefined if no process made it. */
  find(token: string): PooledValue | undefined {
    this.#addWaiting();
    const lower = token.toLowerCase();
    const value =
      this.#tokens.get(token) ?? this.#tokens.get(lower) ?? this.#findDrawn(token) ?? this.#findDrawn(lower);
    // A value in use stays, however many others follow.
    if (value !== undefined) this.#addToken(token, value);
    return value;
  }

  #addToken(text: string, value: PooledValue): void {
    this.#tokens.delete(text);
    this.#tokens.set(text, value);
    const [oldest] = this.#tokens.keys();
    if (this.#tokens.size > MOST_VALUES && oldest !== undefined) this.#tokens.delete(oldest);
  }

  #findDrawn(token: string): PooledValue | undefined {
    if (this.#parts.size === 0 || token.length < SHORTEST_PART) return undefined;
    let part = 0;
    for (let at = 0; at < SHORTEST_PART; at += 1) part = hashNext(part, token.charCodeAt(at));
    const newest = this.#parts.get(part);
    if (newest === undefined) return undefined;
    // Several texts may contain the same few digits.
    const drawn = [this.#drawn.get(newest), ...this.#drawn.values()].find((one) => one?.text.includes(token));
    const at = drawn?.text.indexOf(token) ?? -1;
    if (drawn === undefined || !mayBeDrawn(token, at)) return undefined;
    return { kind: "random", order: drawn.order + at / 1e6 };
  }
}

/**
 * Returns the spellings of a temporary folder: its path, and as coding agents name the folder of a project by its path or, if
 * chance made its name, by its name. `chosen`: the part of the name that the program chose.
 */
function spellFolder(path: string, chosen: string): readonly string[] {
  const [name = ""] = /[^\\/]*$/.exec(path) ?? [];
  const isByChance =
    chosen !== "" && name.startsWith(chosen) && name.length >= chosen.length + CHANCE_IN_NAME;
  const names = isByChance ? [name, name.toLowerCase().replace(/[^a-z0-9]/g, "-")] : [];
  return [...new Set([path, path.replace(/[^A-Za-z0-9]/g, "-"), ...names])];
}

/** Returns the hashes of the sequences of `SHORTEST_PART` characters: five bits of each, so that earlier ones drop out. */
function hashParts(text: string): readonly number[] {
  const hashes: number[] = [];
  let hash = 0;
  for (let at = 0; at < text.length; at += 1) {
    hash = hashNext(hash, text.charCodeAt(at));
    if (at >= SHORTEST_PART - 1) hashes.push(hash);
  }
  return hashes;
}

const HASH_BITS = 2 ** (5 * SHORTEST_PART) - 1;

const hashNext = (hash: number, unit: number): number => ((hash << 5) ^ unit) & HASH_BITS;

/**
 * Whether a part of random text is no coincidence. Short words have no digits in them, a short number may be anything, and short
 * hexadecimal digits, which colors and commits have, count only as the first ones: `uuid4().hex[:6]`.
 */
function mayBeDrawn(token: string, at: number): boolean {
  if (/^\d+$/.test(token)) return at === 0 || token.length >= 10;
  return token.length >= 8 || (/\d/.test(token) && (at === 0 || /[g-z]/i.test(token)));
}
