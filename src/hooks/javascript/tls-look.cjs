// @ts-nocheck -- plain CommonJS for any Node, with parameters that follow from its callers
"use strict";
/* What clients ask of a socket that they opened with TLS. */

/** A client that names protocols and HTTP/1.1 is not among them would not understand the server. */
function speaksHttp1({ ALPNProtocols: names }) {
  if (names === undefined || names === null) return true;
  // In bytes, each name follows its length.
  if (!Array.isArray(names)) return names.length === 0 || Buffer.from(names).includes("http/1.1");
  return names.length === 0 || names.some((name) => String(name) === "http/1.1");
}

/**
 * Whether Node's own HTTP/2 client requests the connection. gRPC opens its connections itself, and its calls are not
 * recorded.
 */
function isForHttp2() {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 10;
  const { stack } = new Error();
  Error.stackTraceLimit = stackTraceLimit;
  return /\(node:internal\/http2\//.test(stack);
}

/** Makes a socket look like an established TLS connection. `protocol`: the result of the protocol negotiation. */
function looksLikeTls(socket, { host, servername, ALPNProtocols }, protocol) {
  const name = servername || host;
  const certificate = () => ({
    subject: { CN: name },
    issuer: { CN: "Tapedeck: this connection does not leave the machine" },
    subjectaltname: `DNS:${name}`,
  });
  Object.assign(socket, {
    encrypted: true,
    authorized: true,
    authorizationError: null,
    secureConnecting: false,
    servername: name,
    alpnProtocol: ALPNProtocols && ALPNProtocols.length > 0 ? protocol : false,
    getPeerCertificate: certificate,
    getCertificate: () => ({}),
    getPeerX509Certificate: () => undefined,
    getX509Certificate: () => undefined,
    getCipher: () => ({
      name: "TLS_AES_128_GCM_SHA256",
      standardName: "TLS_AES_128_GCM_SHA256",
      version: "TLSv1.3",
    }),
    getProtocol: () => "TLSv1.3",
    getSession: () => undefined,
    getTLSTicket: () => undefined,
    getFinished: () => undefined,
    getPeerFinished: () => undefined,
    getEphemeralKeyInfo: () => ({}),
    getSharedSigalgs: () => [],
    isSessionReused: () => false,
    setServername: () => {},
    setSession: () => {},
    setMaxSendFragment: () => true,
    disableRenegotiation: () => {},
    enableTrace: () => {},
    renegotiate: (_options, callback) => {
      if (callback) process.nextTick(callback, null);
      return true;
    },
  });
}

module.exports = { isForHttp2, looksLikeTls, speaksHttp1 };
