import { expect, it } from "vitest";
import type { Miss } from "../../src/core/call/call.ts";
import { createAcceptedNearest } from "../../src/editor/call-commands/accept-nearest-model.ts";
import { aReplyOf, textOf } from "../support/a-recording.ts";
import { madeUpSecrets } from "../support/made-up-secrets.ts";
import { aProject, chatOf, type Project } from "./a-project.ts";

const SECRET = madeUpSecrets()["GitHub token"] ?? "";
const HOLDS = 'contains what looks like a GitHub token ("ghp_"…, 40 characters)';

/** A missed call in a project with this setting for secrets. */
async function missedIn(project: Project, config: object, body: unknown): Promise<Miss> {
  await project.say(config);
  const { miss } = await project.ask(body);
  if (miss === undefined) throw new Error("the call was answered");
  return miss;
}

it("no recording is begun for a request with a secret, and the nearest one's secret is not taken over", async () => {
  const project = aProject();
  const { deck } = project;
  const telling = await missedIn(project, { secrets: "drop" }, chatOf([`Deploy with ${SECRET}`]));
  const harmless = await missedIn(project, {}, chatOf(["Deploy"]));
  const nearest = aReplyOf(`Use ${SECRET}.`);
  const accepted = createAcceptedNearest({ miss: harmless, nearest, recordedAt: nearest.recordedAt });

  const begun = deck.admit(deck.compose(telling, { text: "Write the reply here." }));

  await expect(begun).rejects.toThrow(`This recording was not saved: the request body ${HOLDS}.`);
  await expect(deck.admit(accepted)).rejects.toThrow(`This recording was not saved: the response ${HOLDS}.`);
  await project.say({ secrets: "redact" });
  expect(textOf((await deck.admit(accepted)).reply.body)).toBe('{"text":"Use [redacted: GitHub token]."}');
  expect(textOf(nearest.reply.body)).toContain(SECRET);
});
