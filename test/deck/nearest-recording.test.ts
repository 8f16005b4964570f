import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { aProject, chatOf } from "./a-project.ts";

it("names the next nearest recording where the nearest one broke since it was looked at", async () => {
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

it("proposes no rule under which two recordings that are nothing like the call would be one", async () => {
  const project = aProject();
  const turns = ["Sort these words.", "Which?", "apple, pear, plum"];
  const cold = await project.record(chatOf(turns, { temperature: 0 }), "sorted");
  const warm = await project.record(chatOf(turns, { temperature: 1 }), "shuffled");
  const some = await project.record(chatOf(["Count."], { stop: ["three"] }), "one, two");
  const more = await project.record(chatOf(["Count."], { stop: ["three", "two"] }), "one");
  for (let order = 0; order < 30; order += 1)
    await project.record(chatOf([`Where is order ${order} now?`], { temperature: 0.2 }), "there");

  const asked = await project.ask(chatOf(["Where is order 7 now?"], { temperature: 0.7 }));
  const other = await project.ask(chatOf(["Where is order 7 now?"], { temperature: 0.2, seed: 3 }));

  const list = await project.ask(chatOf(["Where is order 7 now?"], { temperature: 0.2, stop: ["."] }));

  const { rule, collision } = asked.miss?.nearest?.proposal ?? {};
  expect(rule).toMatchObject({ ignore: "/temperature" });
  expect([...(collision ?? [])].toSorted()).toEqual([cold, warm].toSorted());
  expect(other.miss?.nearest?.proposal).toMatchObject({ rule: { ignore: "/seed" } });
  expect(other.miss?.nearest?.proposal).not.toHaveProperty("collision");
  expect(list.miss?.nearest?.proposal).toMatchObject({ rule: { ignore: "/stop" } });
  expect([...(list.miss?.nearest?.proposal?.collision ?? [])].toSorted()).toEqual([some, more].toSorted());
});

it("proposes no rule about a turn that two recordings have otherwise, and leaves notes that say the same", async () => {
  const project = aProject();
  const said = (second: string, third: string) => chatOf(["Hello there", second, third]);
  for (let nth = 0; nth < 24; nth += 1)
    await project.record(said("Answer", `What about question number ${nth}, which is about x?`), "a");
  for (let order = 0; order < 50; order += 1)
    await project.record(chatOf([`Where is order ${order} now?`]), "there");
  const pair = [
    await project.record(said("Yes, of course", "And then what?"), "b"),
    await project.record(said("No, never", "And then what?"), "c"),
  ];
  const ask = said("Another answer", "What about question number 0, which is about x?");

  const first = await project.ask(ask);
  await project.deck.close();
  const again = await aProject({ dir: project.dir }).ask(ask);

  for (const { miss } of [first, again]) {
    expect(miss?.nearest?.proposal?.rule).toMatchObject({ ignore: "/messages/1/content" });
    expect([...(miss?.nearest?.proposal?.collision ?? [])].toSorted()).toEqual(pair.toSorted());
  }
});
