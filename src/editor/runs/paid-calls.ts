import { localize } from "../../core/base/localize.ts";
import * as vscode from "vscode";
import { isCi, formatLimits } from "../../core/answer/budget/limits.ts";
import { type PaidQuestion, createPaidCallGate, describePaidCalls } from "./paid-calls-model.ts";
import { readFolderSettings } from "../settings/settings.ts";
import { SETTINGS, convertLimits } from "../settings/settings-model.ts";
import { ask as askPerson } from "../window/messages.ts";

const ALLOW = localize("Allow in This Window");
const ALWAYS = localize("Always Allow");

/** The gate of the window, for all folders. */
export const beforePaidCall = createPaidCallGate({
  isCi: () => isCi(process.env),
  asks: () => readFolderSettings(undefined).settings.limits.ask,
  ask,
});

/** Asks before a run starts. Resolves to whether it may start. In CI, it starts and its calls are refused one by one. */
export const askBeforeRun = async (provider: string): Promise<boolean> =>
  isCi(process.env) || (await beforePaidCall({ provider, scope: {}, isAhead: true })) === undefined;

async function ask(call: PaidQuestion): Promise<boolean> {
  const detail = describePaidCalls(call, formatLimits(convertLimits(readFolderSettings(undefined).settings)));
  const answer = await askPerson({
    text: localize("Allow Tapedeck to make paid calls?"),
    detail,
    buttons: [ALLOW, ALWAYS],
    isWarning: true,
  });
  if (answer === ALWAYS) {
    const configuration = vscode.workspace.getConfiguration();
    const { key } = SETTINGS.limits;
    const limits = { ...configuration.inspect<object>(key)?.globalValue, ask: false };
    await configuration.update(key, limits, vscode.ConfigurationTarget.Global);
  }
  return answer !== undefined;
}
