import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { aProject, chatOf } from "./a-project.ts";

it("names the next nearest recording when the nearest one broke since it was looked at", async () => {
  const project = aProject();
  const nearest = await project.record(chatOf(["Where is order 41 now?"]), "here");
  const next = await project.record(chatOf(["Where is order 41?"]), "there");
  await project.record(chatOf(["What is the capital of Italy?"]), "Rome");
  const before = await project.ask(chatOf(["Where is order 41 now, please?"]));

  writeFileSync(join(project.dir, nearest), "{ broken");
  const after = await project.ask(chatOf(["Where is order 41 now, pray?"]));

  expect([before.miss?.nearest?.entry, after.miss?.nearest?.entry]).toEqual([nearest, next]);
});

it("names a recording that another program added since the last miss", async () => {
  const project = aProject();
  await project.record(chatOf(["What is the capital of Italy?"]), "Rome");
  await project.ask(chatOf(["Where is order 41 now?"]));
  const told = new Promise((resolve) => project.deck.store.watch(resolve));

  const added = await project.record(chatOf(["Where is order 41?"]), "there");
  await told;
  const after = await project.ask(chatOf(["Where is order 41 now, please?"]));

  expect(after.miss?.nearest?.entry).toBe(added);
});

it("shows differences without control characters that could affect the terminal", async () => {
  const project = aProject();
  const hostile = "Where is\u001b[2J \u009b31m order\u202e 41\u200b?";
  await project.record(chatOf([hostile], { user: hostile }), "here");

  const asked = await project.ask(chatOf(["Where is order 41?"], { user: "me" }));

  expect(JSON.stringify(asked.miss?.nearest?.differences)).toContain("order");
  const { error } = JSON.parse(asked.text) as { readonly error: { readonly message: string } };
  for (const text of [error.message, asked.miss?.message]) {
    expect(text).toContain("Differs from the nearest recording (");
    expect(text).not.toMatch(/(?!\n)[\p{Cc}\u200b\u202e]/u);
  }
});
