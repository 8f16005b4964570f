import { describe, expect, it } from "vitest";
import { createLiveSearch, farText } from "../../../src/editor/call-commands/live-search-model.ts";

const all = ["parcel 1", "parcel 2", "letter 1"];
const [parcel1, parcel2] = [{ entry: "parcel 1" }, { entry: "parcel 2" }];

/** `read`: how many of the recordings are read so far. */
function aSearch(read = all.length) {
  const folder = { read };
  const search = createLiveSearch({
    find: (text) =>
      Promise.resolve(
        all
          .slice(0, folder.read)
          .filter((entry) => entry.includes(text))
          .map((entry) => ({ entry })),
      ),
    isOver: () => folder.read === all.length,
  });
  return { search, folder };
}

const nowhere = (): undefined => undefined;

describe("Enter in a list of hits", () => {
  it("opens the first hit where nothing has the focus", async () => {
    const { search } = aSearch();
    await search.refresh("parcel", nowhere);

    expect(search.accepted("parcel", undefined)).toEqual(parcel1);
  });

  it("opens what a person moved to", async () => {
    const { search } = aSearch();
    await search.refresh("parcel", nowhere);

    expect(search.accepted("parcel", parcel2)).toEqual(parcel2);
  });

  it("waits for the hits of what is typed, and never opens one of what was typed before", async () => {
    const { search } = aSearch();
    await search.refresh("letter", nowhere);

    expect(search.accepted("parcel", { entry: "letter 1" })).toBeUndefined();
    expect(search.isWanted).toBe(true);
    await search.refresh("parcel", nowhere);
    expect(search.accepted("parcel", undefined)).toEqual(parcel1);
    expect(search.isWanted).toBe(false);
  });

  it("waits for files that are still read, and no longer where all are", async () => {
    const { search, folder } = aSearch(1);
    await search.refresh("letter", nowhere);
    expect(search.accepted("letter", undefined)).toBeUndefined();
    expect(search.isWanted).toBe(true);

    folder.read = all.length;
    await search.refresh("letter", nowhere);
    expect(search.accepted("letter", undefined)).toEqual({ entry: "letter 1" });
    await search.refresh("card", nowhere);
    expect(search.accepted("card", undefined)).toBeUndefined();
    expect(search.isWanted).toBe(false);
  });
});

describe("the line to stand on", () => {
  it("is the first, also of a list that grew above it", async () => {
    const { search } = aSearch();

    expect(await search.refresh("parcel", nowhere)).toEqual(parcel1);
    expect(await search.refresh("parcel", () => parcel1)).toEqual(parcel1);
  });

  it("stays where a person moved it, until something else is typed", async () => {
    const { search } = aSearch();
    await search.refresh("parcel", nowhere);

    expect(await search.refresh("parcel", () => parcel2)).toEqual(parcel2);
    expect(await search.refresh("parce", () => parcel2)).toEqual(parcel1);
  });
});

it.each([
  [{ read: 0, total: 0, reading: true }, 0, "looking…"],
  [{ read: 4_200, total: 20_000, reading: true }, 3, "4,200 of 20,000 read…"],
  [{ read: 20_000, total: 20_000, reading: false }, 1_300, "1,300 long ones left to search…"],
  [{ read: 20_000, total: 20_000, reading: false }, 0, undefined],
])("how far the search is: %j, %i", (progress, pending, text) => {
  expect(farText(progress, pending)).toBe(text);
});
