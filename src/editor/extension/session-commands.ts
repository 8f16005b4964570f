import { joinSentences, localize } from "../../core/base/localize.ts";
import * as vscode from "vscode";
import { MODES, type Mode, parseMode } from "../../core/call/call.ts";
import { COMMANDS, type CommandTable } from "../window/ids.ts";
import { MODE_TEXTS, toggleMode } from "../session/mode-model.ts";
import type { Session } from "../session/session.ts";
import { askSecret, pickOne } from "../window/picks.ts";
import { checkRecordings } from "../checks/check-recordings.ts";
import { FORMATS, writeEnvironment } from "../environment/environment-text-model.ts";
import type { Log } from "../window/log.ts";
import { ask, flashStatus, showInformation, showProgress } from "../window/messages.ts";
import { listKeysNotIn } from "../../server/why-unreached.ts";
import { type KeyedProvider, type ProviderKeys, listKeyedProviders } from "../session/provider-keys.ts";
import { TEAM_KEY } from "../session/team-model.ts";
import { withRules } from "../../core/config/edit-config.ts";
import { listFindings } from "../documents/documents.ts";
import { type MissingCall, isMissingCall, listMissingCalls } from "../findings/findings-model.ts";
import { readTargets } from "../calls/call-node-model.ts";
import type { ViewDeps } from "../call-commands/command-targets.ts";
import { createRulesQuestion } from "../../core/view/rules-plan-text.ts";
import { editProject } from "../session/edit-project.ts";

interface SessionCommandParts {
  readonly session: Session;
  readonly problems: vscode.DiagnosticCollection;
  readonly log: Log;
  /** Looks again at what is not watched by the server. */
  readonly refresh: () => void;
}

/** The commands about the session as a whole: its mode, whether it is on, and the check of its recordings. */
export function createSessionCommands({ session, problems, log, refresh }: SessionCommandParts) {
  async function change(mode: Mode): Promise<void> {
    if (!session.trusted) return manageTrust();
    await session.setMode(mode);
    if (session.lifecycle.status.kind === "off") await session.lifecycle.turnOn();
  }
  // Changing the mode shows no message, because the status bar shows the mode.
  return {
    // The first click while Tapedeck is off only turns it on, in its last mode.
    [COMMANDS.toggleMode]: () =>
      session.trusted && session.lifecycle.status.kind === "off"
        ? session.lifecycle.turnOn()
        : change(toggleMode(session.mode)),
    [COMMANDS.selectMode]: async (given) => {
      const known = parseMode(given);
      if (known) return change(known);
      const mode = await pickMode(session);
      if (mode) await change(mode);
    },
    [COMMANDS.newRun]: () => {
      session.runs.stretch.begin();
      flashStatus("check", localize("A new run started"));
    },
    [COMMANDS.turnOn]: () => (session.trusted ? session.lifecycle.turnOn() : manageTrust()),
    [COMMANDS.turnOff]: () => session.lifecycle.turnOff(),
    [COMMANDS.restartServer]: async () => {
      refresh();
      await session.lifecycle.restart();
    },
    [COMMANDS.copyEnvironment]: () => copyEnvironment(session),
    [COMMANDS.checkRecordings]: () => checkRecordings(session, problems),
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
  const picked = await pickOne(
    MODES.map((mode) => {
      const { name, icon, description } = MODE_TEXTS[mode];
      return {
        mode,
        icon,
        label: name,
        description: mode === current ? localize("current") : "",
        detail: description,
      };
    }),
    {
      title:
        tag === undefined
          ? localize("Tapedeck: Select Mode")
          : localize("Tapedeck: Select Mode of {0}", folder.name),
      placeholder: localize("Select how calls are answered"),
    },
  );
  return picked?.mode;
}

async function copyEnvironment(session: Session): Promise<void> {
  const picked = await pickOne(
    FORMATS.map(({ format, label, description }) => ({ format, label, description })),
    {
      title: localize("Tapedeck: Copy Environment"),
      placeholder: localize("Select the format of the variables"),
    },
  );
  if (!picked) return;
  await vscode.env.clipboard.writeText(
    writeEnvironment(await session.connection.environment(), picked.format),
  );
  flashStatus("check", localize("Variables copied"));
}

/** Commands on the keys that Tapedeck hands to the runs it starts for recording. */
export function createKeyCommands(session: Session, keys: ProviderKeys) {
  return {
    [COMMANDS.setKey]: async (named) => {
      const chosen = await chooseKey(session, keys, named);
      if (chosen === undefined) return;
      const { name, label, has, about, stored } = chosen;
      const key = await askSecret({
        title: localize("Tapedeck: Key of {0}", label),
        prompt: has ? joinSentences(about, localize("Leave it empty to remove the stored key.")) : about,
        mayBeEmpty: has,
      });
      if (key === undefined) return;
      const given = key.trim();
      await keys.set(name, given === "" ? undefined : given);
      if (given === "") flashStatus("key", localize("Key of {0} removed", label));
      else void showInformation(stored);
    },
  } satisfies Partial<CommandTable>;
}

/** Returns a note for a stored key. A key in VS Code's environment takes precedence over it. */
function storedText({ name, variables }: KeyedProvider): string {
  const isSet = listKeysNotIn(process.env, [variables]).length === 0;
  const use = isSet
    ? localize("{0} is also set in the environment of VS Code, and that key is used.", variables[0] ?? "")
    : localize("Runs that record use it. Record the test again to try it.");
  return joinSentences(localize("The key of {0} is stored.", name), use);
}

interface ChosenKey {
  /** The name of a provider or the team cache. */
  readonly name: string;
  readonly label: string;
  readonly has: boolean;
  /** Where the key is stored, and which runs get it. */
  readonly about: string;
  /** The message after it is stored. */
  readonly stored: string;
}

async function chooseKey(
  session: Session,
  keys: ProviderKeys,
  named: unknown,
): Promise<ChosenKey | undefined> {
  const providers = listKeyedProviders(session);
  const choices = [
    ...providers.map((provider) => ({
      name: provider.name,
      variables: provider.variables,
      about: localize(
        "Stored in VS Code's secret storage. Only runs that record get it, as {0}.",
        provider.variables[0] ?? "",
      ),
      stored: storedText(provider),
    })),
    {
      name: TEAM_KEY,
      variables: [],
      about: localize(
        "Stored in VS Code's secret storage. Recordings without its signature are not used. No run gets it.",
      ),
      stored: localize("The key of the team cache is stored."),
    },
  ];
  const items = await Promise.all(
    choices.map(async (choice) => {
      const { name, variables } = choice;
      const has = (await keys.get(name)) !== undefined;
      const isSet = variables.length > 0 && listKeysNotIn(process.env, [variables]).length === 0;
      const environment = isSet ? localize("set in the environment of VS Code") : "";
      const state = has ? localize("stored by Tapedeck") : environment;
      const label = name === TEAM_KEY ? localize("the team cache") : name;
      return { label, description: [variables[0], state].filter(Boolean).join(" · "), ...choice, has };
    }),
  );
  const isNamed = ({ name, variables }: (typeof items)[number]): boolean =>
    name === named || variables.some((one) => one === named);
  const placeholder = localize("Select the provider of the key");
  return items.find(isNamed) ?? pickOne(items, { placeholder });
}

/** Commands on differences that do not matter. */
export function createRuleCommands(deps: ViewDeps) {
  const { session } = deps;
  return {
    [COMMANDS.ignoreDifference]: (...args) => {
      const named = listFindings(readTargets(args), deps).filter(isMissingCall);
      return propose(named.length > 0 ? named : listMissingCalls(session.state.findings), session);
    },
  } satisfies Partial<CommandTable>;
}

async function propose(missing: readonly MissingCall[], session: Session): Promise<void> {
  const options = { where: "status", title: localize("Checking the effects of rules") } as const;
  // No rule changes the keys of MetaGPT's cache.
  const ours = missing.filter(({ miss }) => miss.cacheFile === undefined);
  const missed = ours.map(({ miss, count, at }) => ({ miss, times: count, at }));
  const plan = await showProgress(options, () => session.deck.planRules(missed));
  const { message, detail, add } = createRulesQuestion(plan);
  const chosen = await ask({ text: message, detail, buttons: add === undefined ? [] : [add] });
  if (chosen === undefined || chosen !== add) return;
  const rules = plan.rules.map(({ rule }) => rule);
  await editProject(session, (text) => withRules(text, rules), { isShown: true });
}
