// The declarations of jest.cjs: the module itself is declared as an ES module, which `require` does not take.
import type * as helper from "./jest.ts" with { "resolution-mode": "import" };

declare const jest: Pick<typeof helper, "test" | "tapedeckTest">;
declare namespace jest {
  type Tape = helper.Tape;
  type TapeOptions = helper.TapeOptions;
  type TapedBody = helper.TapedBody;
}
export = jest;
