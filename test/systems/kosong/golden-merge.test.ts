import { mergeInPlace } from "../../../src/systems/kosong/index.ts";
import { goldenFile } from "../../client/golden.ts";
import { partFrom, shownPart, type Shorthand } from "./golden-parts.ts";

const golden = goldenFile("kosong-merge");

golden.test("parts merge as the original's do [KO-01, KO-02, KO-04, KO-05, KO-06, KO-07, KO-08]", {
  run: ({ input }) => {
    const { into, other } = input as { into: Shorthand; other: Shorthand };
    const [left, right] = [partFrom(into), partFrom(other)];

    const merged = mergeInPlace(left, right);

    return { merged, into_after: shownPart(left), other_after: shownPart(right) };
  },
});

golden.done();
