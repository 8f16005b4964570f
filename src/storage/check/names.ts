import { addressOf } from "../../core/cassette/address.ts";
import type { RecordingAddress } from "../../core/cassette/recording.ts";
import type { Key } from "../../core/exchange.ts";
import { hasEarlier } from "../earlier.ts";
import { whole, type Finding } from "./findings.ts";

/** A recording, and the key that its request has under the rules of now. */
export interface Keyed {
  readonly address: RecordingAddress;
  readonly key: Key;
}

/** A recording whose name is not its key, and the name that is. */
export interface Rename {
  readonly from: string;
  readonly to: RecordingAddress;
}

export interface NamePlan {
  readonly renames: readonly Rename[];
  readonly findings: readonly Finding[];
}

/** Which recordings are named by another key than the one that they have, and what can be done about it. */
export function planNames(dir: string, recordings: readonly Keyed[]): NamePlan {
  const groups = new Map<string, Keyed[]>();
  for (const one of recordings) {
    const place = `${one.address.provider}\n${one.key}`;
    const others = groups.get(place);
    if (others === undefined) groups.set(place, [one]);
    else others.push(one);
  }
  const renames: Rename[] = [];
  const findings: Finding[] = [];
  for (const group of groups.values()) {
    const names = new Set(group.map(({ address }) => address.key));
    for (const one of group.filter(({ address, key }) => address.key !== key)) {
      const { entry, provider, take } = one.address;
      const other = group.find(({ address }) => address.key !== one.address.key);
      if (names.size > 1 && other !== undefined) {
        findings.push(
          whole("same-by-rules", entry, `The rules make one call of it and ${other.address.entry}.`),
        );
        continue;
      }
      if (hasEarlier(dir, entry)) {
        findings.push(
          whole("misnamed", entry, `Its key is ${one.key}; accept or discard its new reply first.`),
        );
        continue;
      }
      renames.push({ from: entry, to: addressOf(provider, one.key, take) });
      findings.push(whole("misnamed", entry, `Its key is ${one.key} under the rules of tapedeck.jsonc.`));
    }
  }
  return { renames, findings };
}
