import { addressOf } from "../../core/cassette/address.ts";
import type { RecordingAddress } from "../../core/cassette/recording.ts";
import type { Key } from "../../core/call.ts";
import { groupBy } from "../../core/group-by.ts";
import { hasEarlier } from "../local/earlier.ts";
import { whole, type Finding } from "../check/findings.ts";

/** A recording, and the key that its request has under the rules of now. */
export interface KeyedRecording {
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
export function planNames(dir: string, recordings: readonly KeyedRecording[]): NamePlan {
  const renames: Rename[] = [];
  const findings: Finding[] = [];
  for (const group of groupBy(recordings, ({ address, key }) => `${address.provider}\n${key}`)) {
    for (const { address, key } of group.filter((one) => one.address.key !== one.key)) {
      const { entry, provider, take } = address;
      const other = group.find((one) => one.address.key !== address.key);
      if (other !== undefined) {
        const message = `The rules make one call of it and ${other.address.entry}.`;
        findings.push(whole("same-by-rules", entry, message));
      } else if (hasEarlier(dir, entry)) {
        const message = `Its key is ${key}; accept or discard its new reply first.`;
        findings.push(whole("misnamed", entry, message));
      } else {
        renames.push({ from: entry, to: addressOf(provider, key, take) });
        findings.push(
          whole("misnamed", entry, `Its request has the key ${key}: it was edited, or the rules changed.`),
        );
      }
    }
  }
  return { renames, findings };
}
