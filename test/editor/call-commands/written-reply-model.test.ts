import { expect, it } from "vitest";
import type { Recording } from "../../../src/core/cassette/recording.ts";
import type { Miss } from "../../../src/core/call/call.ts";
import { createAcceptedNearest } from "../../../src/editor/call-commands/accept-nearest-model.ts";
import { settleWritten } from "../../../src/editor/call-commands/written-reply-model.ts";
import { aProject, chatOf, type Project } from "../../deck/a-project.ts";
import { aReplyOf, textOf } from "../../support/a-recording.ts";
import { madeUpSecrets } from "../../support/made-up-secrets.ts";

const SECRET = madeUpSecrets()["GitHub token"] ?? "";
const HOLDS = 'contains what looks like a GitHub token ("ghp_"…, 40 characters)';

/** A missed call in a project with this setting for secrets. */
async function missedIn(project: Project, config: object, body = chatOf(["Hello?"])): Promise<Miss> {
  await project.say(config);
  const { miss } = await project.ask(body);
  if (miss === undefined) throw new Error("the call was answered");
  return miss;
}

/** Saves the reply that a person wrote, as the editor does, and looks at it. */
async function writes(
  project: Project,
  recording: Recording,
): Promise<{ readonly settled: Awaited<ReturnType<typeof settleWritten>>; readonly kept: number }> {
  const { entry } = await project.deck.store.save(recording);
  let kept = 0;
  const settled = await settleWritten(entry, project.deck, async () => {
    await project.deck.store.read(entry);
    kept += 1;
  });
  return { settled, kept };
}

it.each([
  ["drop", '"secrets": "redact" removes secrets, and "allowSecrets" lists values that are not secrets'],
  ["fail", '"secrets": "redact" removes secrets, and "allowSecrets" lists values that are not secrets'],
])(
  "a written reply with a secret is taken away again under %s, its text first put in safety",
  async (secrets, hint) => {
    const project = aProject();
    const miss = await missedIn(project, { secrets });

    const { settled, kept } = await writes(project, project.deck.compose(miss, { text: `Use ${SECRET}.` }));

    expect(settled).toMatchObject({ outcome: "refused" });
    expect(settled.outcome === "refused" && settled.error.message).toContain(`the response ${HOLDS}`);
    expect(settled.outcome === "refused" && settled.error.hint).toContain(hint);
    expect(kept).toBe(1);
    expect(await project.deck.store.list()).toEqual([]);
  },
);

it("a written reply stays without its secrets when the project redacts, whole or as a stream", async () => {
  const project = aProject();
  for (const stream of [false, true]) {
    const body = chatOf(["Hello?"], { stream });
    const miss = await missedIn(project, { secrets: "redact" }, body);

    const { settled } = await writes(project, project.deck.compose(miss, { text: `Use ${SECRET}.` }));

    expect(settled).toEqual({ outcome: "redacted" });
    const { outcome, text } = await project.ask(body);
    expect([outcome, text.includes(SECRET), text.includes("[redacted: GitHub token]")]).toEqual([
      "replayed",
      false,
      true,
    ]);
  }
});

it("a written reply is left unchanged if it contains no secret, or if the project allows secrets", async () => {
  const project = aProject();
  const reply = { text: `Use ${SECRET}.` };

  const harmless = await writes(
    project,
    project.deck.compose(await missedIn(project, {}), { text: "Hello!" }),
  );
  const named = await missedIn(project, { allowSecrets: ["^ghp_"] }, chatOf(["a"]));
  const byName = await writes(project, project.deck.compose(named, reply));
  const any = await missedIn(project, { secrets: "allow" }, chatOf(["b"]));
  const byPolicy = await writes(project, project.deck.compose(any, reply));

  expect([harmless, byName, byPolicy].map(({ settled }) => settled.outcome)).toEqual([
    "kept",
    "kept",
    "kept",
  ]);
  expect(await project.deck.store.list()).toHaveLength(3);
});

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
