import { describe, expect, it } from "vitest";
import { createRecordingAddress } from "../../../src/core/cassette/address.ts";
import { decodeRecording, encodeRecording } from "../../../src/core/cassette/codec.ts";
import type { Recording } from "../../../src/core/cassette/recording.ts";
import { aRecording, bytes, textOf } from "../../support/a-recording.ts";

function fileOf(recording: Recording): string {
  return encodeRecording(recording).text;
}

function readBack(text: string, recording: Recording): Recording {
  return decodeRecording(text, createRecordingAddress(recording.provider, recording.key, 1));
}

function streamed(body: string, contentType = "text/event-stream"): Recording {
  return aRecording({ reply: { contentType, body: bytes(body) } });
}

/** The lines of the file between the brackets of `events`. */
function eventLines(file: string): string[] {
  const lines = file.split("\n");
  const start = lines.indexOf('    "events": [');
  return lines.slice(start + 1, lines.indexOf("    ]", start)).map((line) => line.trim().replace(/,$/, ""));
}

describe("a stream whose events are written in several styles", () => {
  const value = { id: "c1", delta: [1, { text: "a" }] };
  const styles: Readonly<Record<string, string>> = {
    compact: JSON.stringify(value),
    spaced: '{"id": "c1", "delta": [1, {"text": "a"}]}',
    "spaced after colons": '{"id": "c1","delta": [1,{"text": "a"}]}',
    indented: JSON.stringify(value, null, 2).replaceAll("\n", ""),
    "with a blank first": ` ${JSON.stringify(value)}`,
  };
  const pairs = Object.keys(styles).flatMap((most) => Object.keys(styles).map((one) => [most, one] as const));

  it.each(pairs)("most are %s and one is %s: each keeps its own text", (most, one) => {
    const data = [most, most, one, most].map((style) => styles[style]);
    for (const [type, body] of [
      ["text/event-stream", data.map((text) => `data: ${text}\n\n`).join("")],
      ["application/x-ndjson", data.map((text) => `${text}\n`).join("")],
    ] as const) {
      const recording = streamed(body, type);

      const back = readBack(fileOf(recording), recording);

      expect(textOf(back.reply.body)).toBe(body);
    }
  });
});

describe("the file of a recording", () => {
  it("reads as what was asked and what was answered, in an order that stays", () => {
    const recording = aRecording({
      question: "Say 1",
      reply: { body: bytes('{"id":"c1","n":1.0,"vector":[0.5,1e-7]}') },
      test: { file: "test/a.test.ts", name: ["greets", "politely"], line: 12, runner: "vitest" },
    });

    const file = fileOf(recording);

    expect(file).toBe(`{
  "format": 1,
  "provider": "openai",
  "operation": "chat.completions",
  "model": "gpt-4o-mini",
  "key": "${recording.key}",
  "recordedAt": "2026-01-02T03:04:05.678Z",
  "test": {
    "file": "test/a.test.ts",
    "name": ["greets", "politely"],
    "line": 12,
    "runner": "vitest"
  },
  "request": {
    "method": "POST",
    "path": "/v1/chat/completions",
    "body": {
      "model": "gpt-4o-mini",
      "messages": [
        {
          "role": "user",
          "content": "Say 1"
        }
      ]
    }
  },
  "reply": {
    "status": 200,
    "contentType": "application/json",
    "body": {
      "id": "c1",
      "n": 1.0,
      "vector": [0.5, 1e-7]
    }
  }
}
`);
  });

  it("has one line for each event of a stream, and no word of style for what OpenAI sends", () => {
    const recording = streamed(
      'data: {"id":"c1","choices":[{"delta":{"content":"Hi"}}]}\n\ndata: {"id":"c1","usage":null}\n\ndata: [DONE]\n\n',
    );

    const file = fileOf(recording);

    expect(eventLines(file)).toEqual([
      '{"data":{"id":"c1","choices":[{"delta":{"content":"Hi"}}]}}',
      '{"data":{"id":"c1","usage":null}}',
      '{"text":"[DONE]"}',
    ]);
    expect(file).not.toContain("style");
  });

  it("keeps the blanks and the spaced ping that Anthropic sends beside the events they belong to", () => {
    const recording = streamed(
      'event: message_start\ndata: {"type":"message_start","n":0}\n\n' +
        'event: ping\ndata: {"type": "ping"}\n\n' +
        'event: content_block_stop\ndata: {"type":"content_block_stop","index":0    }\n\n' +
        'event: message_stop\ndata: {"type":"message_stop"}\n\n',
    );

    const file = fileOf(recording);

    expect(eventLines(file)).toEqual([
      '{"event":"message_start","data":{"type":"message_start","n":0}}',
      '{"event":"ping","data":{"type":"ping"},"style":{"colon":": "}}',
      '{"event":"content_block_stop","data":{"type":"content_block_stop","index":0},"pad":4}',
      '{"event":"message_stop","data":{"type":"message_stop"}}',
    ]);
  });

  it("writes the style of a whole stream once", () => {
    const body = 'data:{"a": 1, "b": 2}\r\n\r\ndata:{"a": 3, "b": 4}\r\n\r\n';

    const file = fileOf(streamed(body));

    expect(file).toContain(
      '"style": { "newline": "\\r\\n", "space": false, "json": { "colon": ": ", "comma": ", " } },',
    );
    expect(eventLines(file)).toEqual(['{"data":{"a":1,"b":2}}', '{"data":{"a":3,"b":4}}']);
  });

  it("keeps an event that is written in no usual way as its text, and one that is no text as base64", () => {
    const odd = Buffer.concat([
      Buffer.from(": keep-alive\n\nid: 7\ndata: {}\n\ndata: a\ndata: b\n\n"),
      Buffer.from([0x64, 0xff, 0x0a, 0x0a]),
      Buffer.from('data: {"a":1}\n\ndata: {"cut":'),
    ]);

    const file = fileOf(
      aRecording({ reply: { contentType: "text/event-stream", body: new Uint8Array(odd) } }),
    );

    expect(eventLines(file)).toEqual([
      '{"raw":": keep-alive\\n\\n"}',
      '{"raw":"id: 7\\ndata: {}\\n\\n"}',
      '{"raw":"data: a\\ndata: b\\n\\n"}',
      '{"base64":"ZP8KCg=="}',
      '{"data":{"a":1}}',
      '{"raw":"data: {\\"cut\\":"}',
    ]);
  });

  it("keeps an event that is nested deeply, and one whose names or numbers JSON.parse would change", () => {
    const deep = `${"[".repeat(1_000)}1${"]".repeat(1_000)}`;
    const data = [
      deep,
      '{"a":1,"a":2}',
      '{"b":1,"1":2}',
      "[1.0,-0,9007199254740993]",
      '{"__proto__":{"a":"\\ud800"}}',
    ];
    const recording = streamed(data.map((text) => `data: ${text}\n\n`).join(""));

    expect(readBack(fileOf(recording), recording)).toEqual(recording);
  });

  it("writes a stream of lines one a line", () => {
    const file = fileOf(streamed('{"a":1}\n{"done":true}\n', "application/x-ndjson"));

    expect(eventLines(file)).toEqual(['{"data":{"a":1}}', '{"data":{"done":true}}']);
  });

  it("shows JSON that another serialiser wrote as JSON and remembers how it was written", () => {
    const pretty = '{\n  "text": "caf\\u00e9",\n  "n": 9007199254740993\n}\n';
    const recording = aRecording({ reply: { body: bytes(pretty) } });

    const file = fileOf(recording);

    expect(file).toContain('"text": "café",\n      "n": 9007199254740993');
    expect(textOf(readBack(file, recording).reply.body)).toBe(pretty);
  });

  it("falls back to text when no serialiser writes so, and to base64 when it is no text", () => {
    const twice = fileOf(aRecording({ reply: { body: bytes('{"a":1,"a":2}') } }));
    const mixed = fileOf(aRecording({ reply: { body: bytes('{"a": 1,"b":2}') } }));
    const binary = fileOf(
      aRecording({ reply: { contentType: "audio/mpeg", body: Uint8Array.of(255, 251, 0) } }),
    );

    expect(twice).toContain('"text": "{\\"a\\":1,\\"a\\":2}"');
    expect(mixed).toContain('"text": "{\\"a\\": 1,\\"b\\":2}"');
    expect(binary).toContain('"base64": "//sA"');
  });

  it("writes what an editor would hide or complain about as escapes", () => {
    const recording = aRecording({ reply: { body: bytes('{"a":"\u2028\u202e\ufeff\u0085"}') } });

    const file = fileOf(recording);

    expect(file).toContain(String.raw`"a": "\u2028\u202e\ufeff\u0085"`);
    expect(readBack(file, recording)).toEqual(recording);
  });

  it("does not keep the white space of a JSON request, which is not part of its key", () => {
    const spaced = aRecording({ request: { body: bytes('{ "b": 1.50,\n "a": "\\u0041" }') } });

    const read = readBack(fileOf(spaced), spaced);

    expect(textOf(read.request.body)).toBe('{"b":1.50,"a":"A"}');
  });

  it("keeps the content type of a request that is not JSON, and its bytes", () => {
    const form = { contentType: "multipart/form-data; boundary=x", body: bytes("--x\r\n\r\n1\r\n--x--\r\n") };
    const recording = aRecording({ request: form });

    const read = readBack(fileOf(recording), recording);

    expect(read).toEqual(recording);
  });
});

describe("reading back what was written", () => {
  it("gives the same bytes after git or an editor changed line ends, layout or added a byte order mark", () => {
    const recording = streamed('event: a\ndata: {"t":"x\\r\\ny"}\n\ndata: [DONE]\r\n\r\n');
    const file = fileOf(recording);

    const windows = readBack(`\ufeff${file.replaceAll("\n", "\r\n")}`, recording);
    const oneLine = readBack(JSON.stringify(JSON.parse(file)), recording);

    expect(windows).toEqual(recording);
    expect(oneLine).toEqual(recording);
  });

  it("takes a reply edited by hand, with comments and trailing commas", () => {
    const recording = aRecording({ reply: { body: bytes('{"text":"old"}') } });
    const edited = fileOf(recording).replace('"text": "old"', '// shorter\n "text": "new", /* one\n more */');

    const read = readBack(edited, recording);

    expect(textOf(read.reply.body)).toBe('{"text":"new"}');
  });

  it("takes events edited by hand in the stream's own style", () => {
    const recording = streamed('data:{"t": "old"}\n\ndata:[DONE]\n\n');
    const edited = fileOf(recording).replace(
      '{"data":{"t":"old"}}',
      '{"data":{"t":"new"}},\n{"data":{"t":"more"}}',
    );

    const read = readBack(edited, recording);

    expect(textOf(read.reply.body)).toBe('data:{"t": "new"}\n\ndata:{"t": "more"}\n\ndata:[DONE]\n\n');
  });
});
