import { localize } from "../../core/base/localize.ts";
import { makeVisible } from "../../core/base/visible.ts";

/**
 * Escapes text for places where VS Code renders markup. Paths, names, errors, models, hosts, and titles can contain
 * `$(icon)` and `[text](command:…)`, which a message renders as a link that runs a command, even in Restricted Mode.
 * A space breaks both; invisible characters become visible.
 */
export const removeMarkup = (text: string): string =>
  makeVisible(text).replaceAll("](", "] (").replace(ICON, "$ (");

/** The same on one line. */
export const removeMarkupFromLine = (text: string): string => removeMarkup(text).replace(/\s+/gu, " ").trim();

/** Source: VS Code, base/common/iconLabels.ts and themables.ts. */
const ICON = /\$\((?=[a-z0-9]+(?:-[a-z0-9]+)*(?:~[a-z]+)?\))/giu;

/** Returns the title of a CodeLens. VS Code drops a plain space after the icon. */
export const formatLensTitle = (icon: string, text: string): string => `$(${icon})\u00A0${text}`;

/** The tooltip of a link in a recording. It names the origin, because the text of the link can be misleading. */
export function describeOpening(url: string): string {
  const { origin } = URL.canParse(url) ? new URL(url) : { origin: "null" };
  return origin === "null" ? localize("Open") : localize("Open {0}", origin);
}

/** A line that a person can pick. Its icon is a codicon; its texts are escaped. */
export interface PickItem {
  readonly icon?: string;
  readonly label: string;
  readonly description?: string;
  readonly detail?: string;
  readonly picked?: boolean;
  /** Shown even if it does not match the typed text. */
  readonly alwaysShow?: boolean;
}

/** Returns the escaped texts of a line for a quick pick. */
export function pickTexts({
  icon,
  label,
  description,
  detail,
}: PickItem): Pick<PickItem, "label" | "description" | "detail"> {
  return {
    label: `${icon === undefined ? "" : `$(${icon}) `}${removeMarkupFromLine(label)}`,
    ...(description !== undefined && { description: removeMarkupFromLine(description) }),
    ...(detail !== undefined && { detail: removeMarkupFromLine(detail) }),
  };
}
