import { describe, expect, it } from "vitest";
import type { VariableChange } from "../../src/editor/environment-model.ts";
import { createProcessEnvironment, createShares } from "../../src/editor/process-environment.ts";

const to = (value: string): readonly VariableChange[] => [{ name: "TAPEDECK_URL", how: "replace", value }];

describe("variables of a process that several folders would like to set", () => {
  it("are those of the folder that set them last, whoever takes back what it had before", () => {
    const variables: NodeJS.ProcessEnv = { PATH: "/bin" };
    const share = createShares(createProcessEnvironment(variables));
    const [first, second] = [share(), share()];
    first.set(to("first"));

    second.set(to("second"));
    first.takeBack();

    expect(variables).toEqual({ PATH: "/bin", TAPEDECK_URL: "second" });
    second.takeBack();
    expect(variables).toEqual({ PATH: "/bin" });
  });

  it("are nobody's own: no folder takes another one's for the user's", () => {
    const variables: NodeJS.ProcessEnv = { TAPEDECK_URL: "the user's" };
    const share = createShares(createProcessEnvironment(variables));
    const [first, second] = [share(), share()];

    first.set(to("first"));

    expect(second.without()["TAPEDECK_URL"]).toBe("the user's");
  });
});
