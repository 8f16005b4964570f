import { describe, expect, it } from "vitest";
import { buildChains } from "../../../../src/core/view/conversation/turns.ts";
import type { TurnFacts } from "../../../../src/core/view/conversation/turn-facts.ts";
import { aChatCall, assistant, outlineOf, user } from "./conversations.ts";
import { FAMILIES } from "./families.ts";

const NOTHING: TurnFacts = { begins: [], ends: [], ids: [], asked: "", answered: "", endsWithUser: true };

describe("the turns of a test's calls", () => {
  it.each(Object.entries(FAMILIES))("continue one another in %s, named by what they answer", (_, calls) => {
    expect(outlineOf(calls)).toEqual(["1 look_up_order(A-1042)", '2 "It ships Friday."']);
  });

  it("are found in any order of the calls", () => {
    const [first, second] = FAMILIES["Anthropic's messages"] ?? [];
    if (!first || !second) throw new Error("The family is gone.");

    expect(outlineOf([second, first])).toEqual(["1 look_up_order(A-1042)", '2 "It ships Friday."']);
  });

  it("are parallel when several continue the same one, each with its successors", () => {
    const asked = [user("Plan a trip")];
    const planned = [...asked, assistant("Rome or Oslo?")];
    const rome = [...planned, user("Rome")];

    const outline = outlineOf([
      aChatCall(asked, "Rome or Oslo?"),
      aChatCall(rome, "Take the train."),
      aChatCall([...planned, user("Oslo")], "Take a coat."),
      aChatCall([...rome, assistant("Take the train."), user("When?")], "At nine."),
    ]);

    expect(outline).toEqual([
      '1 "Rome or Oslo?"',
      '  2 "Take the train."',
      '  3 "At nine."',
      '  2 "Take a coat."',
    ]);
  });

  it("continue the choice that the client sent back", () => {
    const asked = [user("Pick one")];
    const choice = (index: number, content: string): unknown => ({ index, message: assistant(content) });
    const both = {
      ask: { model: "m", n: 2, messages: asked },
      reply: { choices: [choice(0, "Tea"), choice(1, "Coffee")] },
    };

    const outline = outlineOf([both, aChatCall([...asked, assistant("Coffee"), user("Why?")], "It wakes.")]);

    expect(outline).toEqual(['1 "Tea"', '2 "It wakes."']);
  });

  it("continue the take whose answer was sent back", () => {
    const asked = [user("Guess")];

    const outline = outlineOf([
      aChatCall(asked, "Seven"),
      aChatCall(asked, "Nine"),
      aChatCall([...asked, assistant("Seven"), user("No")], "Eight"),
    ]);

    expect(outline).toEqual(['1 "Seven"', '2 "Eight"', '1 "Nine"']);
  });

  it("are no conversation when another answer was put in between, or the question is another one", () => {
    const outline = outlineOf([
      aChatCall([user("One")], "1"),
      aChatCall([user("One"), assistant("made up"), user("Two")], "2"),
      aChatCall([user("One!"), assistant("1"), user("Two")], "3"),
      aChatCall([user("One")], { role: "assistant", content: null }),
    ]);

    expect(outline).toEqual(['1 "1"', '1 "2"', '1 "3"', "1 (no response)"]);
  });

  it("belong together when a client cut or joined texts otherwise, or left thinking out", () => {
    const asked = [user("Think")];
    const parts = [
      { type: "text", text: "One\n" },
      { type: "text", text: "two" },
    ];

    const outline = outlineOf([
      aChatCall(asked, { role: "assistant", reasoning_content: "Hm.", content: "One two " }),
      aChatCall([...asked, { role: "assistant", content: parts }, user("Go on")], "three"),
    ]);

    expect(outline).toEqual(['1 "One two"', '2 "three"']);
  });

  it("never run in a circle, whatever the recordings say", () => {
    const chains = buildChains(
      [
        { ...NOTHING, begins: [1], ends: [2] },
        { ...NOTHING, begins: [2], ends: [1] },
      ],
      (one) => one,
    );

    expect(chains.flatMap(({ turns }) => turns)).toHaveLength(2);
  });

  it("loses none of 20,000 calls of one conversation, of one call's takes, or without a conversation", () => {
    const many = Array.from({ length: 20_000 }, (_, at) => at);
    const one = buildChains(many, (at) => ({ ...NOTHING, begins: [at], ends: [at + 1] }));
    const takes = buildChains(many, () => ({ ...NOTHING, begins: [1], ends: [2] }));
    const broken = buildChains(many, () => undefined);

    expect(one.map(({ turns }) => turns.at(-1)?.number)).toEqual([20_000]);
    expect(takes.flatMap(({ turns }) => turns)).toHaveLength(20_000);
    expect(broken).toHaveLength(20_000);
  });
});
