/**
 * The only module that creates elements. Recorded data becomes text and attributes, never markup. Invisible characters
 * and characters that change the text direction are written as escapes.
 */
import { makeVisible } from "../core/base/visible.ts";

type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;
type Child = Node | string | undefined;

const SVG = "http://www.w3.org/2000/svg";
/** Attributes that this module refuses to set, because their values run code or load resources. */
const BARRED = /^(?:on|style$|src|href$|srcdoc$|xlink)/;

/** Creates an HTML element. Omits attributes that are undefined or false; `true` becomes an empty attribute. */
export function makeElement<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  return fillElement(document.createElement(name), attributes, children);
}

/** Creates a button. `attributes` are set in addition to its type. */
export function makeButton(text: string, attributes: Attributes, press: () => void): HTMLButtonElement {
  const made = makeElement("button", { type: "button", ...attributes }, text);
  made.addEventListener("click", press);
  return made;
}

/** Creates an SVG element. */
export function makeShape<Name extends keyof SVGElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[Name] {
  return fillElement(document.createElementNS(SVG, name), attributes, children);
}

function fillElement<E extends Element>(made: E, attributes: Attributes, children: readonly Child[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (BARRED.test(name)) throw new Error(`${name} is not set from data`);
    if (value !== undefined && value !== false)
      made.setAttribute(
        name,
        value === true ? "" : isRead(name) ? makeVisible(String(value)) : String(value),
      );
  }
  const shown = children.filter((child) => child !== undefined);
  made.append(...shown.map((child) => (typeof child === "string" ? makeVisible(child) : child)));
  return made;
}

/** Whether an attribute's value is displayed or read aloud by screen readers. */
const isRead = (name: string): boolean => /^(?:title|alt|label|placeholder|aria-\w+)$/.test(name);
