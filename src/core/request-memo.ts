import { DigestMap } from "./digest-map.ts";

/** How many requests are remembered by their raw bytes. */
const REMEMBERED = 20_000;

/** Where a call goes, and what it says of its body. */
interface Place {
  readonly provider: string;
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly contentType: string;
}

/** What was read of requests, by where they went and the digest of their body. */
interface RequestMemo<T extends object> {
  get(place: Place, body: string): T | undefined;
  set(place: Place, body: string, read: T): void;
  clear(): void;
}

/** By where a call goes and then by what it says: places are few, and most calls go where the last one went. */
export function createRequestMemo<T extends object>(): RequestMemo<T> {
  const places = new Map<string, DigestMap<T>>();
  let last: { readonly place: Place; readonly bodies: DigestMap<T> } | undefined;
  let size = 0;
  const clear = (): void => {
    places.clear();
    last = undefined;
    size = 0;
  };
  const bodiesAt = (place: Place): DigestMap<T> | undefined => {
    if (last !== undefined && isSamePlace(last.place, place)) return last.bodies;
    const bodies = places.get(nameOf(place));
    if (bodies !== undefined) last = { place, bodies };
    return bodies;
  };
  const firstAt = (place: Place): DigestMap<T> => {
    const bodies = new DigestMap<T>();
    places.set(nameOf(place), bodies);
    return bodies;
  };
  return {
    get: (place, body) => bodiesAt(place)?.get(body),
    set(place, body, read) {
      if (size >= REMEMBERED) clear();
      (bodiesAt(place) ?? firstAt(place)).set(body, read);
      size += 1;
    },
    clear,
  };
}

function nameOf({ provider, operation, method, path, contentType }: Place): string {
  return `${provider}\n${operation}\n${method}\n${path}\n${contentType}`;
}

function isSamePlace(a: Place, b: Place): boolean {
  return (
    a.path === b.path &&
    a.method === b.method &&
    a.provider === b.provider &&
    a.operation === b.operation &&
    a.contentType === b.contentType
  );
}
