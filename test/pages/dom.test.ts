import { afterEach, describe, expect, it, vi } from "vitest";

type Make = (...args: readonly unknown[]) => ReturnType<typeof anElement>;

/** Not named to the compiler, whose types of the tests have no DOM. */
const DOM: string = "../../src/pages/dom.ts";
const { makeElement, makeShape } = (await import(DOM)) as {
  readonly makeElement: Make;
  readonly makeShape: Make;
};

const HOSTILE = "pay\u202ebill\u200b\u{e0068}\u001b[2J";
const SHOWN = String.raw`pay\u{202e}bill\u{200b}\u{e0068}␛[2J`;

/** As much of an element as the pages make use of here. */
function anElement() {
  const attributes = new Map<string, string>();
  const children: unknown[] = [];
  return {
    attributes,
    children,
    setAttribute: (name: string, value: string) => void attributes.set(name, value),
    append: (...added: readonly unknown[]) => void children.push(...added),
  };
}

afterEach(() => vi.unstubAllGlobals());

describe.each([
  ["HTML", makeElement],
  ["SVG", makeShape],
])("an element of %s", (_, make) => {
  it("shows what is invisible in its text, and in what people read of its attributes", () => {
    vi.stubGlobal("document", { createElement: anElement, createElementNS: anElement });
    const child = {};

    const made = make("a", { title: HOSTILE, "aria-label": HOSTILE, "data-entry": HOSTILE }, HOSTILE, child);

    expect(made.children).toEqual([SHOWN, child]);
    expect([...made.attributes.values()]).toEqual([SHOWN, SHOWN, HOSTILE]);
  });
});
