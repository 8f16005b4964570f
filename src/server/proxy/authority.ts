import "reflect-metadata";
import { webcrypto } from "node:crypto";
import { isIP } from "node:net";
import { createSecureContext, type SecureContext } from "node:tls";
import {
  BasicConstraintsExtension,
  cryptoProvider,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from "@peculiar/x509";

export type Authority = Awaited<ReturnType<typeof createAuthority>>;

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const DAY_MS = 86_400_000;
/** A machine's clock may have been set back; a run is over within weeks. */
const VALID = { beforeMs: DAY_MS, afterMs: 30 * DAY_MS };
const MOST_HOSTS = 1_000;

/**
 * Makes a certificate authority of one run. Its key never leaves this process: what trusts the certificate trusts nothing
 * once the run is over.
 */
export async function createAuthority() {
  cryptoProvider.set(webcrypto as never);
  const keys = await keyPair();
  const dates = {
    notBefore: new Date(Date.now() - VALID.beforeMs),
    notAfter: new Date(Date.now() + VALID.afterMs),
  };
  const own = await X509CertificateGenerator.createSelfSigned({
    ...dates,
    serialNumber: serialNumber(),
    name: "CN=Tapedeck (this run)",
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
    ],
  });
  const leaf = async (host: string): Promise<SecureContext> => {
    const ours = await keyPair();
    const bare = host.replace(/^\[|\]$/g, "");
    const certificate = await X509CertificateGenerator.create({
      ...dates,
      serialNumber: serialNumber(),
      // The name's field is short; what counts is the alternative name.
      subject: "CN=Tapedeck stand-in",
      issuer: own.subject,
      publicKey: ours.publicKey,
      signingKey: keys.privateKey,
      signingAlgorithm: ALGORITHM,
      extensions: [
        new BasicConstraintsExtension(false, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
        new SubjectAlternativeNameExtension([{ type: isIP(bare) === 0 ? "dns" : "ip", value: bare }]),
      ],
    });
    return createSecureContext({ key: await pemOf(ours.privateKey), cert: certificate.toString("pem") });
  };
  const known = new Map<string, Promise<SecureContext>>();
  return {
    /** PEM, to be trusted by the run's processes. */
    certificate: `${own.toString("pem")}\n`,
    /** Returns the TLS certificate of a server that impersonates `host`, a name or an address. */
    contextFor(host: string): Promise<SecureContext> {
      const context = known.get(host) ?? leaf(host);
      if (known.size >= MOST_HOSTS) known.clear();
      known.set(host, context);
      return context;
    },
  };
}

async function keyPair(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
}

function serialNumber(): string {
  return Buffer.from(webcrypto.getRandomValues(new Uint8Array(8))).toString("hex");
}

async function pemOf(key: webcrypto.CryptoKey): Promise<string> {
  const bytes = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", key));
  const lines = bytes.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN PRIVATE KEY-----\n${lines.join("\n")}\n-----END PRIVATE KEY-----\n`;
}
