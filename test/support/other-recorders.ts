import { gzipSync } from "node:zlib";

/** Files as other recorders write them, each with the same chat, made for the tests of import. */

export const ASKED = { model: "gpt-4o-mini", messages: [{ role: "user", content: "Say hi" }] };
export const ANSWERED = {
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "gpt-4o-mini",
  choices: [{ index: 0, message: { role: "assistant", content: "Hi – there" }, finish_reason: "stop" }],
};
export const ADDRESS = "https://api.openai.com/v1/chat/completions";
export const STREAM = [
  'data: {"id":"1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"Hi"}}]}\r\n\r\n',
  ": a comment\r\n\r\n",
  'data: {"id":"1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\r\n\r\n',
  "data: [DONE]\r\n\r\n",
].join("");

/** The same with letters that UTF-8 has in more bytes than one. */
export const ACCENTED = STREAM.replace("Hi", "Grüße – €");

const asked = JSON.stringify(ASKED);
const answered = JSON.stringify(ANSWERED);
const zipped = gzipSync(answered);

/** vcrpy: tags of Python, a compressed body as bytes, a stream as text. */
export const VCRPY = `interactions:
- request:
    body: !!python/unicode '${asked}'
    headers: !!python/object/new:requests.structures.CaseInsensitiveDict
      Content-Type: !!python/tuple [!!python/unicode 'application/json']
      authorization: [Bearer REDACTED]
    method: POST
    uri: ${ADDRESS}
  response:
    body:
      string: !!binary |
        ${zipped
          .toString("base64")
          .match(/.{1,60}/g)!
          .join("\n        ")}
    headers:
      Content-Encoding: [gzip]
      Content-Type: [application/json; charset=utf-8]
      date: ['Thu, 01 Jan 2026 10:00:00 GMT']
    status: {code: 200, message: OK}
- request:
    body: '${JSON.stringify({ ...ASKED, stream: true })}'
    headers: {content-type: [!!binary YXBwbGljYXRpb24vanNvbg==]}
    method: post
    uri: ${ADDRESS}
  response:
    body: {string: ${JSON.stringify(STREAM)}}
    headers: {content-type: [text/event-stream]}
    status: {code: 200, message: OK}
version: 1
`;

/** vcrpy before version 6 with httpx: the body is already decoded, whatever the headers are; or base64. */
export const HTTPX = `interactions:
- request:
    body: '${asked}'
    headers: {content-type: [application/json]}
    method: POST
    uri: ${ADDRESS}
  response:
    content: '${answered}'
    headers: {Content-Encoding: [gzip], Content-Type: [application/json]}
    http_version: HTTP/1.1
    status_code: 200
- request:
    body: '${JSON.stringify({ ...ASKED, stream: true })}'
    headers: {content-type: [application/json]}
    method: POST
    uri: ${ADDRESS}
  response:
    base64encoded: true
    content: !!binary |
      ${Buffer.from(Buffer.from(STREAM).toString("base64")).toString("base64")}
    headers: {Content-Type: [text/event-stream]}
    status_code: 200
version: 1
`;

/** LangChain's own serializer of vcrpy, before it packs: two lists, no header with its value. */
export const LANGCHAIN = `requests:
- {method: POST, uri: ${ADDRESS}, body: '${asked}', headers: {content-type: ['**REDACTED**']}}
- method: POST
  uri: ${ADDRESS}
  body: !!binary |
    ${Buffer.from(JSON.stringify({ ...ASKED, stream: true })).toString("base64")}
  headers: {content-type: ['**REDACTED**'], authorization: ['**REDACTED**']}
responses:
- body: {string: '${answered}'}
  headers: {Content-Type: ['**REDACTED**'], Content-Encoding: ['**REDACTED**']}
  status: {code: 200, message: OK}
- body: {string: ${JSON.stringify(STREAM)}}
  headers: {Content-Type: ['**REDACTED**']}
  status: {code: 200, message: OK}
`;

/** pytest-recording with parsed bodies: the same call twice, another reply each time; and what is no call over HTTP. */
export const PARSED = `version: 1
interactions:
${["Hi", "Hello"]
  .map(
    (content) => `- request:
    headers: {content-type: [application/json]}
    method: POST
    parsed_body: {model: gpt-4o-mini, n: 9007199254740993, messages: [{role: user, content: Twice}]}
    uri: ${ADDRESS}
  response:
    headers: {content-type: [application/json]}
    parsed_body: {object: chat.completion, choices: [{index: 0, message: {role: assistant, content: ${content}}, finish_reason: stop}]}
    status: {code: 200, message: OK}
`,
  )
  .join("")}- {kind: ws, direction: sent, data: '{}'}
- {request_sample: !!binary AAEC, response_sample: !!binary AAEC}
- request: {method: POST, uri: '${ADDRESS}', headers: {}, body: '${asked}'}
  response: {status: {code: 429, message: slow down}, headers: {}, body: {string: '{"error": {}}'}}
`;

/** Ruby's VCR: a body in base64, one as Ruby's binary, a custom tag. */
export const RUBY = `---
http_interactions:
- request:
    method: post
    uri: ${ADDRESS}
    body:
      encoding: UTF-8
      string: '${asked}'
    headers: !ruby/hash:ActiveSupport::HashWithIndifferentAccess
      Content-Type:
      - application/json
  response:
    status:
      code: 200
      message: OK
    headers:
      Content-Type:
      - application/json
    body:
      encoding: ASCII-8BIT
      base64_string: |
        ${Buffer.from(answered).toString("base64")}
    http_version:
  recorded_at: Thu, 01 Jan 2026 10:00:00 GMT
- request:
    method: post
    uri: ${ADDRESS}
    body: {encoding: UTF-8, string: '${JSON.stringify({ ...ASKED, n: 2 })}'}
    headers: {Content-Type: [application/json]}
  response:
    status: {code: 200, message: OK}
    headers: {Content-Type: [application/json]}
    body:
      encoding: ASCII-8BIT
      string: !binary |-
        ${Buffer.from(answered).toString("base64")}
recorded_with: VCR 6.2.0
`;

/** Ruby's VCR before 2.0: a list of structs, whose method is a symbol. */
export const OLD_RUBY = `---
- !ruby/struct:VCR::HTTPInteraction
  request: !ruby/struct:VCR::Request
    method: :post
    uri: https://api.openai.com:443/v1/chat/completions
    body: '${asked}'
    headers: {content-type: [application/json]}
  response: !ruby/struct:VCR::Response
    status: !ruby/struct:VCR::ResponseStatus {code: 200, message: OK}
    headers: {content-type: [application/json]}
    body: '${answered}'
    http_version: "1.1"
`;

/** A hand-shortened cassette: an alias, and a map that merges another one's members. */
export const MERGED = `interactions:
- request: &asked
    body: '${asked}'
    headers: &types {content-type: [application/json]}
    method: POST
    uri: ${ADDRESS}
  response: &answered
    body: {string: '${answered}'}
    headers: *types
    status: {code: 200, message: OK}
- request: {<<: *asked, body: '${JSON.stringify({ ...ASKED, n: 2 })}'}
  response: *answered
`;

const pairs = (headers: Readonly<Record<string, string>>): object[] =>
  Object.entries(headers).map(([name, value]) => ({ name, value }));
export const HAR_REQUEST = {
  method: "POST",
  url: ADDRESS,
  headers: pairs({ ":method": "POST", "Content-Type": "application/json" }),
  postData: { mimeType: "application/json", text: asked },
};
const harReply = { status: 200, headers: pairs({ "Content-Type": "application/json" }) };

/** A browser's archive: a body in base64, a WebSocket, a call that was broken off, a body that was not kept. */
export const HAR = JSON.stringify({
  log: {
    version: "1.2",
    creator: { name: "WebInspector", version: "537.36" },
    entries: [
      {
        startedDateTime: "2026-01-01T10:00:00.000Z",
        request: HAR_REQUEST,
        response: {
          ...harReply,
          content: {
            mimeType: "application/json",
            encoding: "base64",
            text: Buffer.from(answered).toString("base64"),
          },
        },
      },
      { request: { ...HAR_REQUEST, url: "wss://api.openai.com/v1/realtime" }, response: { status: 101 } },
      { request: HAR_REQUEST, response: { status: 0, headers: [], content: {} } },
      { request: { ...HAR_REQUEST, method: "OPTIONS" }, response: { ...harReply, status: 204, content: {} } },
      { request: HAR_REQUEST, response: { ...harReply, content: { size: 5, mimeType: "application/json" } } },
    ],
  },
});

/** Polly.JS keeps the chunks of a compressed body as a JSON list. */
export const POLLY = JSON.stringify({
  log: {
    _recordingName: "chat",
    creator: { name: "Polly.JS", version: "6.0.6" },
    entries: [
      {
        _id: "1",
        startedDateTime: "2026-01-01T10:00:00.000Z",
        request: HAR_REQUEST,
        response: {
          status: 200,
          headers: pairs({ "content-type": "application/json", "content-encoding": "gzip" }),
          content: {
            _isBinary: true,
            encoding: "base64",
            mimeType: "application/json",
            text: JSON.stringify([
              zipped.subarray(0, 20).toString("base64"),
              zipped.subarray(20).toString("base64"),
            ]),
          },
        },
      },
    ],
  },
});

const nockScope = { scope: "https://api.openai.com:443", status: 200 };
const nockCall = { ...nockScope, method: "POST", path: "/v1/chat/completions", responseIsBinary: false };

/** nock: a reply as a value, a compressed one in chunks of hexadecimal, a path that is a pattern. */
export const NOCK = JSON.stringify([
  { ...nockCall, body: ASKED, response: ANSWERED, rawHeaders: ["Content-Type", "application/json"] },
  {
    ...nockCall,
    body: { ...ASKED, n: 2 },
    response: [zipped.subarray(0, 9).toString("hex"), zipped.subarray(9).toString("hex")],
    rawHeaders: { "content-type": "application/json", "content-encoding": "gzip" },
  },
  { ...nockScope, method: "GET", path: { regex: "/v1/.*" }, response: {} },
  { ...nockCall, body: { ...ASKED, model: { regex: "gpt.*" } }, response: ANSWERED },
  { ...nockCall, body: "/gpt.*/i", response: ANSWERED },
  {
    ...nockCall,
    body: { ...ASKED, n: 3 },
    response: ANSWERED,
    rawHeaders: [["Content-Type", "application/json"]],
  },
]);

/** A whole call, one by its bodies alone, one by its path and provider, a line that is broken, one without a reply. */
export const LINES = [
  JSON.stringify({ request: { url: ADDRESS, body: ASKED }, reply: { status: 200, body: ANSWERED } }),
  JSON.stringify({ request: { ...ASKED, n: 2 }, response: ANSWERED }),
  JSON.stringify({
    provider: "groq",
    request: { path: "/openai/v1/chat/completions", body: { ...ASKED, stream: true } },
    response: { headers: { "content-type": "text/event-stream" }, body: STREAM },
  }),
  '{"request": ',
  JSON.stringify({ request: ASKED }),
].join("\n");
