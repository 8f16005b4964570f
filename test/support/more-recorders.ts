import { gzipSync } from "node:zlib";
import { ACCENTED, ADDRESS, ANSWERED, ASKED } from "./other-recorders.ts";

/** Files of go-vcr and betamax, and bodies in ways of their own, made for the tests of import. */

const asked = JSON.stringify(ASKED);
const answered = JSON.stringify(ANSWERED);
const zipped = gzipSync(answered);

const goCall = (asking: object, reply: string): string => `- request:
    body: ${JSON.stringify(JSON.stringify(asking))}
    form: {}
    headers: {Content-Type: [application/json]}
    url: ${ADDRESS}
    method: POST
  response:
    body: ${JSON.stringify(reply)}
    headers: {Content-Type: [application/json]}
`;

/** go-vcr 1 and 2: the status line beside its code. Of the two the code counts, as in go-vcr itself. */
export const GO_VCR_1 = `---
version: 1
interactions:
${goCall(ASKED, answered)}    status: 200 OK
    code: 200
    duration: ""
${goCall({ ...ASKED, n: 2 }, '{"error": {}}')}    status: 200 OK
    code: 500
    duration: ""
`;

/** go-vcr 3 and 4: with what Go knows of a message. */
export const GO_VCR_4 = `---
version: 2
interactions:
${goCall(ASKED, answered)}    proto: HTTP/1.1
    transfer_encoding: [chunked]
    trailer: {}
    content_length: -1
    uncompressed: true
    status: 200 OK
    code: 200
    duration: 1.2ms
`;

/** betamax: a stream without a charset is ISO-8859-1 to Python's requests; what is compressed is base64. */
export const BETAMAX = JSON.stringify({
  http_interactions: [
    {
      request: {
        body: { encoding: "utf-8", string: JSON.stringify({ ...ASKED, stream: true }) },
        headers: { "Content-Type": ["application/json"] },
        method: "POST",
        uri: ADDRESS,
      },
      response: {
        body: { encoding: "ISO-8859-1", string: Buffer.from(ACCENTED).toString("latin1") },
        headers: { "content-type": ["text/event-stream"] },
        status: { code: 200, message: "OK" },
        url: ADDRESS,
      },
      recorded_at: "2026-01-01T10:00:00",
    },
    {
      request: { body: { encoding: "utf-8", string: asked }, headers: {}, method: "POST", uri: ADDRESS },
      response: {
        body: { encoding: null, base64_string: zipped.toString("base64"), string: "" },
        headers: { "content-type": ["application/json"], "content-encoding": ["gzip"] },
        status: { code: 200, message: "OK" },
      },
    },
  ],
  recorded_with: "betamax/0.9.0",
});

/** Bodies in ways of their own: each of these calls has to be refused with the name of the field, or of the encoding. */
export const ODD_BODIES = JSON.stringify({
  http_interactions: [
    { string: "", encoding: "rot13" },
    { string: asked, encoding: "UTF-16LE" },
    { string: "e30=", base64_encoded: true },
  ]
    .map((body) => ({ body }))
    .concat({ body: asked, body_encoding: "zlib+base64" } as never)
    .map((request) => ({
      request: { method: "POST", uri: ADDRESS, headers: {}, ...request },
      response: { status: { code: 200 }, headers: {}, body: { string: answered } },
    })),
});
