import type { Miss } from "../../core/call/call.ts";
import type { LenientAnswer } from "../../core/config/config.ts";
import type { Deck } from "../../deck/deck.ts";
import type { Mocked } from "../../deck/stand-in.ts";

interface NamedMock {
  /** "Lenient", "Your script", "Echo". */
  readonly name: string;
  readonly answer: LenientAnswer;
}

/** What one mock would answer to a missing call. */
export interface MockPreview extends Pick<NamedMock, "name"> {
  readonly mocked: Mocked;
}

/** All that could answer, the one that lenient mode has now first. */
export function mocksBeside(lenient: LenientAnswer): readonly NamedMock[] {
  const own = "script" in lenient ? "Your script" : "Lenient";
  const others: readonly NamedMock[] = [
    { name: "Echo", answer: { mock: "echo" } },
    { name: "Kosong's echo", answer: { mock: "kosong" } },
  ];
  const isOwn = ({ answer }: NamedMock): boolean =>
    "mock" in answer && "mock" in lenient && answer.mock === lenient.mock;
  return [{ name: own, answer: lenient }, ...others.filter((one) => !isOwn(one))];
}

/** What each of them would answer. Of the one that lenient mode has it is said where that is nothing. */
export async function mockAnswers(
  miss: Miss,
  { rehearse, project }: Pick<Deck, "rehearse" | "project">,
): Promise<readonly MockPreview[]> {
  const mocks = mocksBeside(project.lenient);
  const answers: MockPreview[] = [];
  for (const [index, { name, answer }] of mocks.entries()) {
    const [mocked] = await rehearse([miss], answer);
    if (mocked !== undefined && (index === 0 || !("problem" in mocked)))
      answers.push({
        name,
        mocked: "problem" in mocked || "script" in answer ? mocked : { ...mocked, by: "" },
      });
  }
  return answers;
}
