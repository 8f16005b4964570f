import { visible } from "../../core/base/visible.ts";

/**
 * Text of others for a place in which VS Code looks for markup: paths, names, errors, models, hosts and titles may hold
 * `[text](command:…)`, of which a message makes a link that runs a command, also in Restricted Mode, and `$(icon)`.
 * Both are taken apart by a blank; what is invisible is written visibly.
 */
export const plain = (text: string): string => visible(text).replaceAll("](", "] (").replace(ICON, "$ (");

/** The same on one line. */
export const plainLine = (text: string): string => plain(text).replace(/\s+/gu, " ").trim();

/** Source: VS Code, base/common/iconLabels.ts and themables.ts. */
const ICON = /\$\((?=[a-z0-9]+(?:-[a-z0-9]+)*(?:~[a-z]+)?\))/giu;

/** What a link to an address of others says: whose it is, which the text of the link may not tell. */
export function openingText(url: string): string {
  const { origin } = URL.canParse(url) ? new URL(url) : { origin: "null" };
  return origin === "null" ? "Open" : `Open ${origin}`;
}

/** A line that a person can pick. The icon is ours, the texts may be anybody's. */
export interface PickItem {
  readonly icon?: string;
  readonly label: string;
  readonly description?: string;
  readonly detail?: string;
  readonly picked?: boolean;
  /** Shown whatever is typed. */
  readonly alwaysShow?: boolean;
  /** A line between others. */
  readonly isSeparator?: boolean;
}

/** The texts of a line to pick as VS Code takes them. */
export function pickTexts({
  icon,
  label,
  description,
  detail,
}: PickItem): Pick<PickItem, "label" | "description" | "detail"> {
  return {
    label: `${icon === undefined ? "" : `$(${icon}) `}${plainLine(label)}`,
    ...(description !== undefined && { description: plainLine(description) }),
    ...(detail !== undefined && { detail: plainLine(detail) }),
  };
}
