import * as vscode from "vscode";
import { MODES, type Mode, modeFrom } from "../../core/call/call.ts";
import { fieldsOf } from "../../core/base/lenient.ts";
import { COMMANDS, type CommandTable } from "../window/ids.ts";
import { MODE_TEXTS, toggledMode } from "../session/mode-model.ts";
import type { Session } from "../session/session.ts";
import { chooseMock } from "../mocks/choose-mock.ts";
import { askText, pickOne } from "../window/picks.ts";
import { type RecordingProblems, checkRecordings, renameRecordings } from "../checks/check-recordings.ts";
import { FORMATS, environmentText } from "../environment/environment-model.ts";
import type { Log } from "../window/log.ts";
import { ask, flashStatus, sayInformation, showProgress } from "../window/messages.ts";
import { keysNotIn } from "../../server/why-unreached.ts";
import { type KeyedProvider, type ProviderKeys, keyedProviders } from "../session/provider-keys.ts";
import { TEAM_KEY } from "../session/team-model.ts";
import type { NormaliseRule } from "../../core/call/rule.ts";
import { withRules } from "../../core/config/edit-config.ts";
import { type MissingCall, missingCalls } from "../findings/findings-model.ts";
import { targetsFromArguments } from "../calls/call-node-model.ts";
import type { ViewDeps } from "../call-commands/command-targets.ts";
import { rulesQuestion } from "../../core/view/rules-plan-text.ts";
import { editProject } from "../mocks/edit-project.ts";

interface SessionCommandParts {
  readonly session: Session;
  readonly problems: RecordingProblems;
  readonly log: Log;
  /** Looks again at what is not watched by the server. */
  readonly refresh: () => void;
}

/** The commands about the session as a whole: its mode, whether it is on, and the check of its recordings. */
export function sessionCommands({ session, problems, log, refresh }: SessionCommandParts) {
  async function change(mode: Mode): Promise<void> {
    if (!session.trusted) return manageTrust();
    await session.setMode(mode);
    if (session.lifecycle.status.kind === "off") await session.lifecycle.turnOn();
  }
  // None that changes the mode pops up a message: the status bar says it.
  return {
    // The first click on an item that says "off" turns on what it was: what it becomes is not to be guessed.
    [COMMANDS.toggleMode]: () =>
      session.trusted && session.lifecycle.status.kind === "off"
        ? session.lifecycle.turnOn()
        : change(toggledMode(session.mode)),
    [COMMANDS.selectMode]: async (given) => {
      const known = modeFrom(given);
      if (known) return change(known);
      const mode = await pickMode(session);
      // What lenient mode answers belongs to it.
      if (mode === "lenient" && session.trusted && !(await chooseMock(session))) return;
      if (mode) await change(mode);
    },
    [COMMANDS.newRun]: () => session.runs.stretch.begin(),
    [COMMANDS.turnOn]: () => (session.trusted ? session.lifecycle.turnOn() : manageTrust()),
    [COMMANDS.turnOff]: () => session.lifecycle.turnOff(),
    [COMMANDS.restartServer]: async () => {
      refresh();
      await session.lifecycle.restart();
    },
    [COMMANDS.copyEnvironment]: () => copyEnvironment(session),
    [COMMANDS.checkRecordings]: (given) =>
      fieldsOf(given)["fix"] === "names" ? renameRecordings(session) : checkRecordings(session, problems),
    [COMMANDS.importRecordings]: async (...given) => {
      const { importInto } = await import("../importing/import-command.ts");
      return importInto(session, log, given);
    },
    [COMMANDS.showLog]: () => log.show(),
  } satisfies Partial<CommandTable>;
}

async function manageTrust(): Promise<void> {
  await vscode.commands.executeCommand("workbench.trust.manage");
}

async function pickMode({ mode: current, tag, folder }: Session): Promise<Mode | undefined> {
  const whose = tag === undefined ? "" : ` in ${folder.name}`;
  const picked = await pickOne(
    MODES.map((mode) => {
      const { name, icon, description } = MODE_TEXTS[mode];
      return {
        mode,
        icon,
        label: mode === "lenient" ? `${name}…` : name,
        description: mode === current ? "current" : "",
        detail: description,
      };
    }),
    { title: `Tapedeck: how calls are answered${whose}`, placeholder: "Select a mode", matchOnDetail: true },
  );
  return picked?.mode;
}

async function copyEnvironment(session: Session): Promise<void> {
  const picked = await pickOne(
    FORMATS.map(({ format, label, description }) => ({ format, label, description })),
    { title: "Tapedeck: copy the variables that point clients here", placeholder: "For which shell?" },
  );
  if (!picked) return;
  await vscode.env.clipboard.writeText(
    environmentText(await session.connection.environment(), picked.format),
  );
  flashStatus("check", "Variables copied");
}

/** Commands on the keys that Tapedeck hands to the runs it starts for recording. */
export function keyCommands(session: Session, keys: ProviderKeys) {
  return {
    [COMMANDS.setKey]: async (named) => {
      const chosen = await chooseKey(session, keys, named);
      if (chosen === undefined) return;
      const { name, label, has, about, stored } = chosen;
      const key = await askText({
        isSecret: true,
        title: `Tapedeck: key of ${label}`,
        prompt: has ? `${about} Leave it empty to remove the stored key.` : about,
        mayBeEmpty: has,
      });
      if (key === undefined) return;
      const given = key.trim();
      await keys.set(name, given === "" ? undefined : given);
      if (given === "") flashStatus("key", `Key of ${label} removed`);
      else void sayInformation(stored);
    },
  } satisfies Partial<CommandTable>;
}

/** A key that is set where VS Code was started comes first: a person who gave another one has to know that. */
function storedText({ name, variables }: KeyedProvider): string {
  const isSet = keysNotIn(process.env, [variables]).length === 0;
  const use = isSet
    ? `${variables[0]} is also set where VS Code was started, and that key is used.`
    : "Runs that record use it. Record the test again to try it.";
  return `The key of ${name} is stored. ${use}`;
}

interface ChosenKey {
  /** A provider's name, or that of the team's cache. */
  readonly name: string;
  readonly label: string;
  readonly has: boolean;
  /** Where the key is kept, and who gets it. */
  readonly about: string;
  /** What to say once it is stored. */
  readonly stored: string;
}

const TEAM_ABOUT =
  "Kept among VS Code's secrets. Recordings that are not signed with it are not used; no run gets it.";

async function chooseKey(
  session: Session,
  keys: ProviderKeys,
  named: unknown,
): Promise<ChosenKey | undefined> {
  const providers = keyedProviders(session);
  const choices = [
    ...providers.map((provider) => ({
      name: provider.name,
      variables: provider.variables,
      about: `Kept in VS Code's secret storage; given as ${provider.variables[0]} to the runs that record, and to no others.`,
      stored: storedText(provider),
    })),
    { name: TEAM_KEY, variables: [], about: TEAM_ABOUT, stored: "The team's key is stored." },
  ];
  const items = await Promise.all(
    choices.map(async (choice) => {
      const { name, variables } = choice;
      const has = (await keys.get(name)) !== undefined;
      const isSet = variables.length > 0 && keysNotIn(process.env, [variables]).length === 0;
      const state = has ? "stored by Tapedeck" : isSet ? "set where VS Code was started" : "";
      const label = name === TEAM_KEY ? "the team's cache" : name;
      return { label, description: [variables[0], state].filter(Boolean).join(" · "), ...choice, has };
    }),
  );
  const isNamed = ({ name, variables }: (typeof items)[number]): boolean =>
    name === named || variables.some((one) => one === named);
  return items.find(isNamed) ?? pickOne(items, { placeholder: "Whose key?", matchOnDescription: true });
}

/** What can be done about differences that do not matter. */
export function ruleCommands(deps: ViewDeps) {
  const { session } = deps;
  return {
    [COMMANDS.ignoreDifference]: (...args) => {
      const named = targetsFromArguments(args).flatMap((one) =>
        "finding" in one ? (deps.documents.missing(one.finding) ?? []) : [],
      );
      return propose(named.length > 0 ? named : missingCalls(session.state.findings), session);
    },
  } satisfies Partial<CommandTable>;
}

async function propose(missing: readonly MissingCall[], session: Session): Promise<void> {
  const options = { where: "status", title: "Looking at what rules would do" } as const;
  // No rule changes the keys of MetaGPT's cache.
  const ours = missing.filter(({ miss }) => miss.cacheFile === undefined);
  const missed = ours.map(({ miss, count, at }) => ({ miss, times: count, at }));
  const plan = await showProgress(options, () => session.deck.planRules(missed));
  const { message, detail, add } = rulesQuestion(plan);
  const chosen = await ask({ text: message, detail, buttons: add === undefined ? [] : [add] });
  if (chosen !== undefined && chosen === add)
    await addRules(
      plan.rules.map(({ rule }) => rule),
      session,
    );
}

async function addRules(rules: readonly NormaliseRule[], session: Session): Promise<void> {
  await editProject(session, (text) => withRules(text, rules), { isShown: true });
}
