import type * as vscode from "vscode";
import { oneAtATime } from "../window/throttle.ts";
import { missingCalls } from "../findings/findings-model.ts";
import type { Session } from "../session/session.ts";
import type { Caches } from "./caches.ts";

/** Dismisses misses in MetaGPT's cache whose key its file has: a test, a person, or git added it. */
export function dismissAnswered(session: Session, caches: Caches): vscode.Disposable {
  const look = async (): Promise<void> => {
    for (const call of missingCalls(session.state.findings)) {
      const { cacheFile: file } = call.miss;
      if (file === undefined) continue;
      const isThere = await caches.find({ file, digest: call.miss.key.slice("sha256:".length) }).then(
        () => true,
        () => false,
      );
      if (isThere) session.findings.dismiss([call]);
    }
  };
  return caches.onDidChange(oneAtATime(look));
}
