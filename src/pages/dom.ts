/**
 * Elements are made here alone: what others wrote becomes text and attributes, never markup, and what is invisible in
 * it, or turns its order, is written as an escape.
 */
import { visible } from "../core/base/visible.ts";

type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;
type Child = Node | string | undefined;

const SVG = "http://www.w3.org/2000/svg";
/** No attribute of these can be set from here: they run or load what their text says. */
const BARRED = /^(?:on|style$|src|href$|srcdoc$|xlink)/;

/** An element of HTML. An attribute that is undefined or false is left out, one that is true is empty. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  return fillElement(document.createElement(name), attributes, children);
}

/** What is pressed. Its attributes are what it has beside its type. */
export function button(text: string, attributes: Attributes, press: () => void): HTMLButtonElement {
  const made = element("button", { type: "button", ...attributes }, text);
  made.addEventListener("click", press);
  return made;
}

/** An element of SVG. */
export function shape<Name extends keyof SVGElementTagNameMap>(
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
      made.setAttribute(name, value === true ? "" : isRead(name) ? visible(String(value)) : String(value));
  }
  const shown = children.filter((child) => child !== undefined);
  made.append(...shown.map((child) => (typeof child === "string" ? visible(child) : child)));
  return made;
}

/** Whether an attribute is text that people see or hear. */
const isRead = (name: string): boolean => /^(?:title|alt|label|placeholder|aria-\w+)$/.test(name);
