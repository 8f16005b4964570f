import type { CommandGroup } from "../command.ts";
import { gitSetup } from "./git-setup.ts";
import { gitResolve } from "./resolve.ts";

export const git: CommandGroup = {
  name: "git",
  summary: "Set git up for recordings, or settle merge conflicts in them: setup, resolve.",
  actions: [gitSetup, gitResolve],
};
