import { EXIT, type Command, type CommandGroup } from "../command.ts";
import { localize } from "../../core/base/localize.ts";
import { localizeCount } from "../../core/base/plural.ts";
import { createWrongUsage } from "../../core/base/errors.ts";
import { formatDollars } from "../../core/call/spending.ts";
import { makeVisibleLine } from "../../core/base/visible.ts";
import type { AgentAction } from "../../agent/agent-log.ts";
import {
  getDirOnlyHelp,
  getUnknownPricesHelp,
  readRemote,
  readServeOptions,
  getRemoteHelp,
} from "../options/serve-options.ts";
import { getPricesHelp, openDeckAsAsked, readPricesFile } from "../options/read-options.ts";
import { inspectFolder, readDir } from "../options/dir.ts";
import { readVersion } from "../version.ts";

/** Serves coding agents that speak the Model Context Protocol. */
export const mcp: Command = {
  name: "mcp",
  summary: localize("Serve coding agents over the Model Context Protocol (standard input and output)."),
  synopsis: "mcp [--dir D] [--upstream PROVIDER=URL] [--max-calls N] [--max-cost USD]",
  options: [
    getDirOnlyHelp(),
    ["--upstream PROVIDER=URL", localize("the address of a provider, for recording; repeatable")],
    [
      "--max-calls N",
      localize("calls that agents may send without asking you (default: they ask before each recording)"),
    ],
    ["--max-cost USD", localize("with --max-calls: maximum cost, by list prices")],
    getUnknownPricesHelp(),
    getPricesHelp(),
    ...getRemoteHelp().filter(([option]) => option !== "--remote-write"),
  ],
  async execute(args, terminal) {
    const options = readServeOptions(args, terminal);
    const { calls, costUsd } = options.limits;
    if (costUsd !== undefined && calls === undefined)
      throw createWrongUsage(
        localize("--max-cost needs --max-calls, because the price of a model can be unknown."),
        localize("Add --max-calls N."),
      );
    const { createCommandLineProject } = await import("../agent/command-line-project.ts");
    const { serveMcp } = await import("../agent/mcp-server.ts");
    const remote = await readRemote(args, terminal);
    const { dir, upstreams, prices: file } = options;
    // A project that has no recordings yet has no folder.
    await inspectFolder(dir, { writes: false });
    const prices = file === undefined ? {} : await readPricesFile(file, terminal.cwd);
    const deck = openDeckAsAsked({ dir, upstreams, prices, env: terminal.env });
    const project = createCommandLineProject({
      deck,
      options: { ...options, ...(remote && { remote: { ...remote, writes: false } }) },
      terminal,
    });
    const budget = calls === undefined ? undefined : options.limits;
    await serveMcp({ project, version: readVersion(), budget });
    await deck.close();
    return EXIT.ok;
  },
};

const init: Command = {
  name: "agent init",
  summary: localize("Teach the coding agents of this project to repair missing calls."),
  synopsis: "agent init [--force]",
  options: [["--force", localize("replace a skill that was edited")]],
  async execute(args, terminal) {
    const { placeSkill } = await import("../agent/place-skill.ts");
    await placeSkill(terminal, { replaces: args.has("force") });
    return EXIT.ok;
  },
};

const log: Command = {
  name: "agent log",
  summary: localize("Show what coding agents ran, recorded, and changed on this machine."),
  synopsis: "agent log [--dir D] [--json]",
  options: [getDirOnlyHelp(), ["--json", localize("print a JSON array")]],
  async execute(args, terminal) {
    const { readActions } = await import("../../agent/agent-log.ts");
    const actions = await readActions(readDir(args, terminal).dir);
    if (args.has("json")) terminal.out(`${JSON.stringify(actions, null, 2)}\n`);
    else for (const action of actions) terminal.out(`${formatAction(action)}\n`);
    if (actions.length === 0) terminal.err(localize("Agents have done nothing here yet.\n"));
    return EXIT.ok;
  },
};

function formatAction({
  at,
  client,
  tool,
  subject,
  outcome,
  agreed,
  calls = 0,
  costUsd = 0,
}: AgentAction): string {
  const outcomes: Readonly<Record<AgentAction["outcome"], string>> = {
    done: localize("done"),
    refused: localize("refused"),
    failed: localize("failed"),
  };
  const agreement =
    agreed === undefined
      ? []
      : [agreed === "person" ? localize("you agreed") : localize("within the budget")];
  const cost =
    calls === 0 ? [] : [[localizeCount(calls, "{0} call", "{0} calls"), formatDollars(costUsd)].join(", ")];
  const time = new Date(at).toISOString().slice(0, 16).replace("T", " ");
  return makeVisibleLine([time, client, tool, subject, outcomes[outcome], ...agreement, ...cost].join("  "));
}

/** Commands for and about coding agents. */
export const agent: CommandGroup = {
  name: "agent",
  summary: localize("Set up coding agents, and see what they did."),
  actions: [init, log],
};
