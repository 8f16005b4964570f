import type { CommandGroup } from "../command.ts";
import { teamPull } from "./pull.ts";
import { teamPush } from "./push.ts";
import { teamKey, teamStatus } from "./team-status.ts";

export const team: CommandGroup = {
  name: "team",
  summary: "Share recordings through a cache of the team: status, pull, push, key.",
  actions: [teamStatus, teamPull, teamPush, teamKey],
};
