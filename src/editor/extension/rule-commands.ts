import type { NormaliseRule } from "../../core/call/rule.ts";
import { withRules } from "../../core/config/edit-config.ts";
import { COMMANDS, type CommandTable } from "../window/ids.ts";
import type { Session } from "../session/session.ts";
import { missingCalls, type MissingCall } from "../findings/findings-model.ts";
import { targetsFromArguments } from "../calls/call-target-model.ts";
import type { ViewDeps } from "../call-commands/view-deps.ts";
import { ask, showProgress } from "../window/messages.ts";
import { rulesQuestion } from "../../core/view/rules-plan-text.ts";
import { editProject } from "../mocks/edit-project.ts";

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
