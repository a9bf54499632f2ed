import { createHash } from 'node:crypto';
import { memberOf, readJson, textMember } from '@portolan/run-spec';

const SIGNATURE = 'dev.cosignproject.cosign/signature';
const CERTIFICATE = 'dev.sigstore.cosign/certificate';
const LOG = 'dev.sigstore.cosign/bundle';
const TIMESTAMP = 'dev.sigstore.cosign/rfc3161timestamp';

/**
 * Converts a cosign signature to a Sigstore bundle (version 0.1, JSON). Throws an Error that names what is
 * missing. Verifies nothing.
 */
export function cosignBundle(payload: Buffer, annotations: Readonly<Record<string, unknown>>): unknown {
  const signature = textMember(annotations, SIGNATURE);
  if (signature === undefined) throw new Error('it has no signature');
  const certificate = pemBody(textMember(annotations, CERTIFICATE));
  if (certificate === undefined)
    throw new Error('it has no certificate, and a key alone does not identify the signer');
  const timestamp = textMember(parsed(annotations, TIMESTAMP), 'SignedRFC3161Timestamp');
  return {
    mediaType: 'application/vnd.dev.sigstore.bundle+json;version=0.1',
    verificationMaterial: {
      x509CertificateChain: { certificates: [{ rawBytes: certificate }] },
      tlogEntries: logEntries(parsed(annotations, LOG)),
      timestampVerificationData: {
        rfc3161Timestamps: timestamp === undefined ? [] : [{ signedTimestamp: timestamp }],
      },
    },
    messageSignature: {
      messageDigest: { algorithm: 'SHA2_256', digest: createHash('sha256').update(payload).digest('base64') },
      signature,
    },
  };
}

/** Returns log entries in cosign's form. */
function logEntries(log: unknown): readonly unknown[] {
  const signed = textMember(log, 'SignedEntryTimestamp');
  const payload = memberOf(log, 'Payload');
  const body = textMember(payload, 'body');
  if (signed === undefined || body === undefined) return [];
  const reading = readJson(Buffer.from(body, 'base64').toString('utf8'));
  const entry = 'value' in reading ? reading.value : undefined;
  return [
    {
      logIndex: String(memberOf(payload, 'logIndex')),
      logId: { keyId: Buffer.from(textMember(payload, 'logID') ?? '', 'hex').toString('base64') },
      kindVersion: { kind: textMember(entry, 'kind'), version: textMember(entry, 'apiVersion') },
      integratedTime: String(memberOf(payload, 'integratedTime')),
      inclusionPromise: { signedEntryTimestamp: signed },
      canonicalizedBody: body,
    },
  ];
}

function parsed(annotations: Readonly<Record<string, unknown>>, key: string): unknown {
  const text = textMember(annotations, key);
  const reading = text === undefined ? undefined : readJson(text);
  return reading !== undefined && 'value' in reading ? reading.value : undefined;
}

function pemBody(pem: string | undefined): string | undefined {
  const body = /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----/.exec(pem ?? '')?.[1];
  return body?.replaceAll(/\s/g, '');
}
