import { createHash, generateKeyPairSync, type KeyObject, sign, X509Certificate } from 'node:crypto';
import { initializeCA, initializeCTLog, initializeTLog, initializeTSA } from '@sigstore/mock';
import type { TrustedRoot } from '../src/trust-root.ts';

/** Who a certificate is made out to. */
export interface Signatory {
  readonly subject: string;
  readonly issuer: string;
  readonly repositoryUri?: string;
  readonly repositoryRef?: string;
  readonly runnerEnvironment?: string;
}

export const WORKFLOW: Signatory = {
  subject: 'https://github.com/acme/notes/.github/workflows/release.yml@refs/tags/v1.0.0',
  issuer: 'https://token.actions.githubusercontent.com',
  repositoryUri: 'https://github.com/acme/notes',
  repositoryRef: 'refs/tags/v1.0.0',
  runnerEnvironment: 'github-hosted',
};

/** `provenance` of a registry entry that WORKFLOW matches. */
export const PROVENANCE = {
  sigstore_url: 'tuf-repo-cdn.sigstore.dev',
  repository_uri: 'https://github.com/acme/notes',
  repository_ref: 'refs/tags/v1.0.0',
  runner_environment: 'github-hosted',
  cert_issuer: 'https://token.actions.githubusercontent.com',
  signer_identity: '/.github/workflows/release.yml',
};

/** What is as it should not be. */
export interface SigningFaults {
  readonly withoutLog?: boolean;
  /** Has a timestamp authority say when, instead of a log. */
  readonly timestamped?: boolean;
  readonly withoutCertificateLog?: boolean;
  /** Signs with a key that is not the one of the certificate. */
  readonly otherKey?: boolean;
  /** Minutes after the certificate was made; it holds for ten. */
  readonly loggedAfterMinutes?: number;
}

export interface Signed {
  readonly certificate: Buffer;
  readonly signature: Buffer;
  readonly logEntry: LogEntry | undefined;
  /** What a timestamp authority says (RFC 3161). */
  readonly timestamp: Buffer | undefined;
}

interface LogEntry {
  readonly body: string;
  readonly integratedTime: number;
  readonly logID: string;
  readonly logIndex: number;
  readonly signedEntryTimestamp: string;
  readonly inclusionProof: {
    readonly logIndex: number;
    readonly treeSize: number;
    readonly rootHash: string;
    readonly hashes: readonly string[];
    readonly checkpoint: string;
  };
}

/** A Sigstore instance of a test: an authority, a log of certificates, and one of signatures. */
export class TestSigstore {
  readonly #keys = {
    authority: ecKey('P-384'),
    certificates: ecKey('P-256'),
    log: ecKey('P-256'),
    time: ecKey('P-256'),
  };

  /** Certificate and signature for the bytes, and the log's entry for them. */
  async sign(
    bytes: Buffer,
    who: Signatory,
    entryFor: EntryMaker,
    faults: SigningFaults = {},
  ): Promise<Signed> {
    const key = ecKey('P-256');
    const now = new Date();
    const logged = new Date(now.getTime() + (faults.loggedAfterMinutes ?? 0) * 60_000);
    const certificateLog = faults.withoutCertificateLog
      ? undefined
      : await initializeCTLog(this.#keys.certificates);
    const authority = await initializeCA(this.#keys.authority, certificateLog, now);
    const issued = await authority.issueCertificate({
      publicKey: key.publicKey.export({ format: 'der', type: 'spki' }),
      subjectAltName: who.subject,
      extensions: extensionsOf(who),
    });
    const certificate = bufferOf(issued);
    const signature = sign(
      'sha256',
      bytes,
      faults.otherKey === true ? ecKey('P-256').privateKey : key.privateKey,
    );
    const timestamp = faults.timestamped === true ? await this.#timestamp(signature) : undefined;
    if (faults.withoutLog === true || timestamp !== undefined) {
      return { certificate, signature, logEntry: undefined, timestamp };
    }
    const log = await initializeTLog('https://rekor.test', this.#keys.log, logged);
    const pem = new X509Certificate(certificate).toString();
    // The entry as Rekor's API answers it; the types of the mock are those of a package that is not here.
    const answer = (await log.log(entryFor({ bytes, signature, pem }))) as Readonly<
      Record<string, RekorEntry>
    >;
    const [entry] = Object.values(answer);
    if (entry === undefined) throw new Error('the log of the test gave no entry');
    const { verification, ...plain } = entry;
    return { certificate, signature, logEntry: { ...plain, ...verification }, timestamp };
  }

  async #timestamp(signature: Buffer): Promise<Buffer> {
    // A whole second, as the mock writes fractions in a way of its own; one when the certificate holds already.
    const clock = new Date(Math.ceil(Date.now() / 1000 + 1) * 1000);
    const authority = await initializeTSA(this.#keys.time, clock);
    const answer = await authority.timestamp({
      artifactHash: createHash('sha256').update(signature).digest(),
      hashAlgorithmOID: '2.16.840.1.101.3.4.2.1',
      nonce: 1,
      policyOID: '1.3.6.1.4.1.57264.2',
      certReq: false,
    });
    return bufferOf(answer);
  }

  /** What trusts this instance and nothing else. */
  async trustedRoot(): Promise<TrustedRoot> {
    const certificateLog = await initializeCTLog(this.#keys.certificates);
    const authority = await initializeCA(this.#keys.authority, certificateLog);
    const log = await initializeTLog('https://rekor.test', this.#keys.log);
    const time = await initializeTSA(this.#keys.time);
    const validFor = { start: new Date(Date.now() - 3_600_000), end: undefined };
    const logWith = (publicKey: Buffer): TrustedRoot['tlogs'][number] => ({
      baseUrl: 'https://rekor.test',
      hashAlgorithm: 1,
      publicKey: { rawBytes: publicKey, keyDetails: 5, validFor },
      logId: { keyId: createHash('sha256').update(publicKey).digest() },
      checkpointKeyId: undefined,
      operator: 'test',
    });
    return {
      mediaType: 'application/vnd.dev.sigstore.trustedroot+json;version=0.1',
      tlogs: [logWith(log.publicKey)],
      certificateAuthorities: [
        {
          subject: { organization: 'sigstore.mock', commonName: 'sigstore' },
          uri: 'https://fulcio.test',
          certChain: { certificates: [{ rawBytes: bufferOf(authority.rootCertificate) }] },
          validFor,
          operator: 'test',
        },
      ],
      ctlogs: [logWith(certificateLog.publicKey)],
      timestampAuthorities: [
        {
          subject: { organization: 'sigstore.mock', commonName: 'tsa' },
          uri: 'https://tsa.test',
          certChain: {
            certificates: [time.intCertificate, time.rootCertificate].map((bytes) => ({
              rawBytes: bufferOf(bytes),
            })),
          },
          validFor,
          operator: 'test',
        },
      ],
    };
  }
}

interface RekorEntry extends Omit<LogEntry, 'signedEntryTimestamp' | 'inclusionProof'> {
  readonly verification: Pick<LogEntry, 'signedEntryTimestamp' | 'inclusionProof'>;
}

type EntryMaker = (signed: {
  readonly bytes: Buffer;
  readonly signature: Buffer;
  readonly pem: string;
}) => object;

/** What cosign has the log keep. */
export const hashedRekord: EntryMaker = ({ bytes, signature, pem }) => ({
  apiVersion: '0.0.1',
  kind: 'hashedrekord',
  spec: {
    data: { hash: { algorithm: 'sha256', value: createHash('sha256').update(bytes).digest('hex') } },
    signature: {
      content: signature.toString('base64'),
      publicKey: { content: Buffer.from(pem).toString('base64') },
    },
  },
});

/** Bytes that the signature of an envelope is over (DSSE, pre-authentication encoding). */
export function preAuthEncoding(type: string, payload: Buffer): Buffer {
  const head = `DSSEv1 ${Buffer.byteLength(type)} ${type} ${payload.length} `;
  return Buffer.concat([Buffer.from(head), payload]);
}

function extensionsOf({ issuer, repositoryUri, repositoryRef, runnerEnvironment }: Signatory): {
  oid: string;
  value: string;
}[] {
  const values: readonly (readonly [number, string | undefined])[] = [
    [8, issuer],
    [11, runnerEnvironment],
    [12, repositoryUri],
    [14, repositoryRef],
  ];
  return values.flatMap(([number, value]) =>
    value === undefined ? [] : [{ oid: `1.3.6.1.4.1.57264.1.${number}`, value }],
  );
}

function ecKey(namedCurve: string): { publicKey: KeyObject; privateKey: KeyObject } {
  return generateKeyPairSync('ec', { namedCurve });
}

function bufferOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
