import * as vscode from "vscode";
import type { DescribedRequest } from "../../core/match/read-request.ts";
import type { RunCall } from "../../core/view/run-record/run-record.ts";
import { timelineRequestFrom, type TimelineRequest } from "../../core/view/run-record/timeline-data.ts";
import { oneAtATime, throttle } from "../window/throttle.ts";
import { showTest } from "../documents/show-call.ts";
import { addressArguments } from "../window/addressed-model.ts";
import { missingCalls } from "../findings/findings-model.ts";
import { COMMANDS } from "../window/ids.ts";
import { sayInformation } from "../window/messages.ts";
import type { FolderSession, Sessions } from "../session/folder-session.ts";
import { registerPages, type Page, type Pages } from "./pages.ts";
import { STILL_MS, timelineData, timelineSubjectFrom, type TimelineSubject } from "./timeline-panel-model.ts";

/** While calls come in, a timeline is drawn anew at most so often. */
const EVERY_MS = 250;

export function registerTimelines(extension: vscode.Uri, sessions: Sessions): Pages {
  return registerPages(extension, (page, given) => {
    const subject = timelineSubjectFrom(given);
    const of = subject && sessions.tagged(subject.folder);
    return of && subject && connectTimeline(page, subject, () => sessions.tagged(subject.folder));
  });
}

/** `of`: the folder's session, another object after some settings; undefined once the folder is gone. */
function connectTimeline(
  page: Page,
  opened: TimelineSubject,
  of: () => FolderSession | undefined,
): vscode.Disposable {
  let subject = opened;
  /** Nobody tells that no call comes any more. */
  let again: NodeJS.Timeout | undefined;
  const post = oneAtATime(async () => {
    const one = of();
    if (one === undefined) return;
    const { session } = one;
    const data = await timelineData(subject, {
      log: session.recordings.runLog,
      compare: (first, second) => differencesOf(first, second, one),
      now: Date.now(),
    });
    page.post({ type: "data", data });
    clearTimeout(again);
    if (data.isLive) again = setTimeout(post, STILL_MS);
  });
  const soon = throttle(post, () => EVERY_MS);
  const turn = (next: TimelineSubject): void => {
    subject = next;
    page.post({ type: "subject", subject });
    soon();
  };
  const first = of()?.session;
  return vscode.Disposable.from(
    soon,
    { dispose: () => clearTimeout(again) },
    page.onMessage((message) => {
      const request = timelineRequestFrom(message);
      const one = of();
      if (request === undefined || one === undefined) return;
      if (request.type === "ready") soon();
      else if (request.type === "show") turn({ ...subject, run: request.run });
      else if (request.type === "compare") turn(compareWith(subject, request.run));
      else void open(request, one);
    }),
    ...(first ? [first.recordings.onDidCall(soon), first.onDidChange(soon)] : []),
  );
}

function compareWith(subject: TimelineSubject, run: string): TimelineSubject {
  const { second: _, ...rest } = subject;
  return run === "" ? rest : { ...rest, second: run };
}

async function open(
  request: Extract<TimelineRequest, { type: "open" | "openMissing" | "goToTest" }>,
  { session }: FolderSession,
): Promise<void> {
  if (request.type === "goToTest") return showTest([request.test], { session });
  const target = targetOf(request, session);
  if (target === undefined) {
    void sayInformation("This call is not missing any more, or was dismissed.");
    return;
  }
  await vscode.commands.executeCommand(COMMANDS.openCall, ...addressArguments([target], session.tag));
}

function targetOf(
  request: Extract<TimelineRequest, { type: "open" | "openMissing" }>,
  { state }: FolderSession["session"],
): { readonly entry: string } | { readonly finding: string } | undefined {
  if (request.type === "open") return { entry: request.entry };
  const missing = missingCalls(state.findings).find(({ miss }) => miss.key === request.key);
  return missing && { finding: missing.id };
}

async function differencesOf(
  first: RunCall,
  second: RunCall,
  { session }: FolderSession,
): Promise<readonly string[]> {
  try {
    const [before, now] = await Promise.all([requestOf(first, session), requestOf(second, session)]);
    return before && now ? session.deck.compare(before, now).map(({ text }) => text) : [];
  } catch {
    return []; // a recording is gone, or cannot be read
  }
}

/** Of a missing call as long as it is missing. */
async function requestOf(
  { entry, key }: RunCall,
  { deck, state }: FolderSession["session"],
): Promise<DescribedRequest | undefined> {
  if (entry !== undefined) return deck.store.read(entry);
  return missingCalls(state.findings).find(({ miss }) => miss.key === key)?.miss;
}
