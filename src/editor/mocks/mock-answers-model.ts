import { localize } from "../../core/base/localize.ts";
import type { Miss } from "../../core/call/call.ts";
import type { LenientAnswer } from "../../core/config/config.ts";
import type { Deck } from "../../deck/deck.ts";
import type { Mocked } from "../../deck/stand-in.ts";

interface NamedMock {
  /** "Lenient", "Your script", "Echo". */
  readonly name: string;
  readonly answer: LenientAnswer;
}

/** The reply that a mock would give to a missing call. */
export interface MockPreview extends Pick<NamedMock, "name"> {
  readonly mocked: Mocked;
}

/** Returns all mocks. The current one of lenient mode is first. */
export function mocksBeside(lenient: LenientAnswer): readonly NamedMock[] {
  const own = "script" in lenient ? localize("Your script") : localize("Lenient");
  const others: readonly NamedMock[] = [
    { name: localize("Echo"), answer: { mock: "echo" } },
    { name: localize("Kosong's echo"), answer: { mock: "kosong" } },
  ];
  const isOwn = ({ answer }: NamedMock): boolean =>
    "mock" in answer && "mock" in lenient && answer.mock === lenient.mock;
  return [{ name: own, answer: lenient }, ...others.filter((one) => !isOwn(one))];
}

/** Returns the reply of each mock. Mocks without a reply are left out, except the one of lenient mode. */
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
