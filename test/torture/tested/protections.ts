import { testedAccess } from "./access.ts";
import { testedDurability } from "./durability.ts";
import { testedFiles } from "./files.ts";
import { testedEnvironment } from "./environment.ts";
import { testedOutgoing } from "./outgoing.ts";
import { testedSecrets } from "./secrets.ts";
import { testedText } from "./text.ts";
import type { TestedProtection } from "../torture.ts";

/** Protections of the product that ordinary tests hold: with any one of these removed, one of its tests fails. */
export const testedProtections: readonly TestedProtection[] = [
  ...testedDurability,
  ...testedSecrets,
  ...testedAccess,
  ...testedFiles,
  ...testedOutgoing,
  ...testedEnvironment,
  ...testedText,
];
