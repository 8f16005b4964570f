/** An entry of a `rsp_cache.json`. Plain, because it goes through addresses and commands. */
export interface CachedRef {
  /** Relative to the workspace folder, with "/" between segments. */
  readonly file: string;
  /** SHA-256 of MetaGPT's key, which is a whole prompt, in hexadecimal digits. */
  readonly digest: string;
}

/** The name of an entry of MetaGPT's cache where calls name a recording: no file of a recording has a "#" in its name. */
export const getCachedEntry = ({ file, digest }: CachedRef): string => `${file}#${digest}`;

/** Reads what `getCachedEntry` writes; undefined for a recording of Tapedeck's own. */
export function readCachedEntry(entry: string): CachedRef | undefined {
  const [, file, digest] = /^(.+)#([0-9a-f]{64})$/su.exec(entry) ?? [];
  return file === undefined || digest === undefined ? undefined : { file, digest };
}
