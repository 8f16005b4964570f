import { describe, expect, it } from "vitest";
import { loadScanner } from "../../../src/core/secrets/load-scanner.ts";
import { aRun, anEngine, chatCall, chatReply, recordCall } from "../../support/an-engine.ts";
import { casesOf } from "../../support/cases.ts";
import { madeUpSecrets } from "../../support/made-up-secrets.ts";
import { secretsThat } from "../../support/secrets-that.ts";
import { seeded } from "../../support/seeded.ts";

const scan = await loadScanner();
const TOKEN = madeUpSecrets()["GitHub token"] ?? "";
const MEBIBYTE = 1_048_576;

/** Base64 that looks like a picture. */
function aPicture(bytes: number): string {
  const random = seeded(3);
  return Buffer.from(Uint8Array.from({ length: bytes }, () => random() * 256)).toString("base64");
}
const PICTURE = aPicture(casesOf({ quick: 2, long: 6 }) * MEBIBYTE);

describe("data of several megabytes in one run", () => {
  it.each(["drop", "redact"] as const)(
    "is recorded, in request and reply, by a project set to %s",
    async (policy) => {
      const secrets = await secretsThat(policy);
      const under = anEngine(() => chatReply(PICTURE), { secrets });

      const { outcome, keptReply } = await recordCall(under, chatCall(aRun("record"), PICTURE));

      expect(outcome).toBe("recorded");
      expect(keptReply.length).toBeGreaterThan(PICTURE.length);
    },
  );
});

describe("what looks like a key by chance", () => {
  const data = aPicture(3_000);
  const CHANCE = [
    ["Azure key", "QEu024u5ubUrmpLBmUDXm5Fn48vkxIFWhnGbiwxixgqFMxJwXawqACDbrs7xHK8sbxujpE2y"],
    ["Brave Search key", "BSA2Wd15bjUz4zBHFxRHLdx6Z7mgE9atXxZhO7JylDjNI5F8Acny2KUpUkRA"],
  ] as const;
  const kindsIn = (text: string): readonly string[] =>
    scan(JSON.stringify({ data: text })).map(({ kind }) => kind);

  it.each(CHANCE)("is none in the middle of data: %s", (_, value) => {
    const forUrls = (text: string): string => text.replaceAll("+", "-").replaceAll("/", "_");

    expect(kindsIn(`${data}/${value}/${data}`)).toEqual([]);
    expect(kindsIn(forUrls(data) + value + forUrls(data))).toEqual([]);
  });

  it.each([
    ["JPEG", "/9j/4gxYSUNDX1BST0ZJTEUAAQEA"],
    ["PNG", "iVBORw0KGgoAAAANSUhEUgAABx4A"],
    ["GIF", "R0lGODlhKgBLAPcAAP//////zP//"],
    ["WebP and WAVE", "UklGRiQAAABXQVZFZm10IBAAAAAB"],
    ["MP3", "SUQzBAAAAAAAI1RTU0UAAAAPAAAD"],
    ["MP4", "AAAAIGZ0eXBpc29tAAACAGlzb21p"],
    ["PDF", "JVBERi0xLjQKJdPr6eEKMSAwIG9i"],
    ["a document", "UEsDBBQABgAIAAAAIQDfpNJsWgEA"],
  ])("is none near the beginning of a file, and when its bytes are alike: %s", (_, begin) => {
    const texts = CHANCE.flatMap(([, value]) => [
      `${begin}/${value}/${data}`,
      `data:application/octet-stream;base64,${begin}${"A".repeat(600)}+${value}/${"A".repeat(600)}`,
    ]);

    expect(texts.map(kindsIn)).toEqual(texts.map(() => []));
    expect(kindsIn(`${begin}${data} ${TOKEN}`)).toEqual(["GitHub token"]);
  });

  it.each(CHANCE)("is found alone, at either end of data, and among words: %s", (kind, value) => {
    const among = ["", `${data}/`, "word".repeat(300)].flatMap((one) => [
      `${one} ${value}`,
      `${value}/${one.slice(0, -1)}`,
      `${one}/${value}`,
    ]);

    expect(among.map(kindsIn)).toEqual(among.map(() => [kind]));
  });
});

describe("a long text", () => {
  const words = "A parcel and a letter. ".repeat(12_000);

  it("of JSON with escapes has one found in a string of a string, and taken out", async () => {
    const secrets = await secretsThat("redact");
    const under = anEngine(() => chatReply("Fine."), { secrets });
    const text = JSON.stringify({ note: `${words.repeat(5)}\n"é\\ ${words}\n${TOKEN}\n` });

    const { outcome, keptRequest } = await recordCall(under, chatCall(aRun("record"), text));

    expect(outcome).toBe("recorded");
    const kept = JSON.parse(keptRequest) as { messages: [{ content: string }] };
    expect(kept.messages[0].content).toBe(text.replace(TOKEN, "[redacted: GitHub token]"));
  });
});
