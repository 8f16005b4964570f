import { SETTINGS } from "../settings/settings-model.ts";
import { COMMANDS } from "../window/ids.ts";
import type { Finding } from "../../core/finding.ts";

/** Something that mends a trouble. Commands of ours are given their folder by whoever shows it. */
export interface Repairing {
  readonly title: string;
  readonly command: string;
  readonly arguments: readonly unknown[];
}

const OPEN_SETTINGS = "workbench.action.openSettings";

/** What mends a trouble, in the order of use. `mayRun`: the workspace is trusted. */
export function repairsOf({ repair, provider, test, kind }: Finding, mayRun: boolean): readonly Repairing[] {
  if (!mayRun) return [];
  const again = { title: "Record This Test Again", command: COMMANDS.recordTest, arguments: [{ test }] };
  return [...FIRST[repair](provider), ...(test && kind !== "bypassed" ? [again] : [])];
}

const FIRST: Record<Finding["repair"], (provider: string | undefined) => readonly Repairing[]> = {
  key: (provider) => [
    {
      title: "Set Provider Key…",
      command: COMMANDS.setKey,
      arguments: provider === undefined ? [] : [provider],
    },
  ],
  address: () => [
    { title: "Open Setting of Upstreams", command: OPEN_SETTINGS, arguments: [SETTINGS.upstreams.key] },
  ],
  limits: () => [
    { title: "Open Settings of Limits", command: OPEN_SETTINGS, arguments: ["tapedeck.limits"] },
  ],
  again: () => [],
  client: () => [],
};
