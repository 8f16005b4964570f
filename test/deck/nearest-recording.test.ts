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

it("names what differs so that nothing in a recording steers the terminal in which a test fails", async () => {
  const project = aProject();
  const hostile = "Where is\u001b[2J \u009b31m order\u202e 41\u200b?";
  await project.record(chatOf([hostile], { user: hostile }), "here");

  const asked = await project.ask(chatOf(["Where is order 41?"], { user: "me" }));

  expect(JSON.stringify(asked.miss?.nearest?.differences)).toContain("order");
  const { error } = JSON.parse(asked.text) as { readonly error: { readonly message: string } };
  for (const text of [error.message, asked.miss?.message]) {
    expect(text).toContain("What differs (nearest ");
    expect(text).not.toMatch(/(?!\n)[\p{Cc}\u200b\u202e]/u);
  }
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

  const { rules, collision } = asked.miss?.nearest?.proposal ?? {};
  expect(rules).toMatchObject([{ ignore: "/temperature" }]);
  expect([...(collision ?? [])].toSorted()).toEqual([cold, warm].toSorted());
  expect(other.miss?.nearest?.proposal).toMatchObject({ rules: [{ ignore: "/seed" }] });
  expect(other.miss?.nearest?.proposal).not.toHaveProperty("collision");
  expect(list.miss?.nearest?.proposal).toMatchObject({ rules: [{ ignore: "/stop" }] });
  expect([...(list.miss?.nearest?.proposal?.collision ?? [])].toSorted()).toEqual([some, more].toSorted());
});

it("proposes no rule that applies anywhere under which two recordings that are nothing like the call would be one", async () => {
  const project = aProject();
  const report = (port: string, words: string) =>
    chatOf([`On port ${port}: ${words}`, "And?", `As of port ${port}, what is new?`]);
  const first = await project.record(report("41016", "rain over the whole of the north"), "rain");
  const second = await project.record(report("41017", "rain over the whole of the north"), "more rain");
  for (let nth = 0; nth < 40; nth += 1)
    await project.record(report("41018", `order ${nth} was sent from Oslo to customer ${nth * 7}`), "sent");
  const ask = (port: string) => project.ask(report(port, "order 7 was sent from Oslo to customer 49"));

  const refused = await ask("41020");
  await project.deck.store.remove(second);
  const proposed = await ask("41021");
  const told = new Promise<void>((resolve) => {
    project.deck.store.watch(({ entry }) => entry !== second && resolve());
  });
  await project.record(report("41019", "rain over the whole of the north"), "still rain");
  await told;
  const again = await ask("41022");

  expect(refused.miss?.nearest?.proposal?.rules).toMatchObject([{ replace: "$port" }]);
  expect([...(refused.miss?.nearest?.proposal?.collision ?? [])].toSorted()).toEqual(
    [first, second].toSorted(),
  );
  expect(proposed.miss?.nearest?.proposal).toMatchObject({ rules: [{ replace: "$port" }] });
  expect(proposed.miss?.nearest?.proposal).not.toHaveProperty("collision");
  expect(again.miss?.nearest?.proposal).toHaveProperty("collision");
});

it("proposes no rule about a turn that two recordings have otherwise, and leaves notes that say the same", async () => {
  const project = aProject();
  const said = (second: string, third: string) => chatOf(["Hello there", second, third]);
  for (let nth = 0; nth < 24; nth += 1)
    await project.record(
      said("Yes, on port 41025", `What about question number ${nth}, which is about x?`),
      "a",
    );
  for (let order = 0; order < 50; order += 1)
    await project.record(chatOf([`Where is order ${order} now?`]), "there");
  const pair = [
    await project.record(said("Yes, on port 41012", "And then what?"), "b"),
    await project.record(said("Yes, on port 41013", "And then what?"), "c"),
  ];
  const ask = said("Yes, on port 41014", "What about question number 0, which is about x?");

  const first = await project.ask(ask);
  await project.deck.close();
  const again = await aProject({ dir: project.dir }).ask(ask);

  for (const { miss } of [first, again]) {
    expect(miss?.nearest?.proposal?.rules).toMatchObject([{ replace: "$port" }]);
    expect([...(miss?.nearest?.proposal?.collision ?? [])].toSorted()).toEqual(pair.toSorted());
  }
});
