import { testedAccess } from "./tested-access.ts";
import { testedDurability } from "./tested-durability.ts";
import { testedFiles } from "./tested-files.ts";
import { testedEnvironment } from "./tested-environment.ts";
import { testedOutgoing } from "./tested-outgoing.ts";
import { testedSecrets } from "./tested-secrets.ts";
import { testedText } from "./tested-text.ts";
import type { TestedProtection } from "./torture.ts";

/** What of the product tests rest on that are no tortures: with any one of these taken out, one of its tests fails. */
export const testedProtections: readonly TestedProtection[] = [
  ...testedDurability,
  ...testedSecrets,
  ...testedAccess,
  ...testedFiles,
  ...testedOutgoing,
  ...testedEnvironment,
  ...testedText,
];
