import { X509Certificate } from 'node:crypto';
import type { OciRegistry } from './oci-registry.ts';
import {
  hashedRekord,
  preAuthEncoding,
  type Signatory,
  type Signed,
  type SigningFaults,
  type TestSigstore,
} from './signer.ts';

const BUNDLE = 'application/vnd.dev.sigstore.bundle.v0.3+json';
const IN_TOTO = 'application/vnd.in-toto+json';
const SIMPLE_SIGNING = 'application/vnd.dev.cosign.simplesigning.v1+json';

export interface SignatureToPush extends SigningFaults {
  readonly who: Signatory;
  /** Another digest than that of the image. */
  readonly names?: string;
  readonly predicate?: object;
  /** How the registry says that it is a bundle. */
  readonly says?: 'artifactType' | 'config' | 'layer';
}

/** Signs an image as cosign does, under its tag; the digest of the layer. */
export async function pushCosignSignature(
  registry: OciRegistry,
  sigstore: TestSigstore,
  digest: string,
  { who, names = digest, ...faults }: SignatureToPush,
): Promise<string> {
  const payload = Buffer.from(
    JSON.stringify({
      critical: {
        identity: { 'docker-reference': `${registry.host}/${registry.repository}` },
        image: { 'docker-manifest-digest': names },
        type: 'cosign container image signature',
      },
      optional: null,
    }),
  );
  const { certificate, signature, logEntry } = await sigstore.sign(payload, who, hashedRekord, faults);
  const log = logEntry && {
    SignedEntryTimestamp: logEntry.signedEntryTimestamp,
    Payload: {
      body: logEntry.body,
      integratedTime: logEntry.integratedTime,
      logIndex: logEntry.logIndex,
      logID: logEntry.logID,
    },
  };
  const annotations = {
    'dev.cosignproject.cosign/signature': signature.toString('base64'),
    'dev.sigstore.cosign/certificate': new X509Certificate(certificate).toString(),
    ...(log === undefined ? {} : { 'dev.sigstore.cosign/bundle': JSON.stringify(log) }),
  };
  const layer = registry.pushBlob(payload, SIMPLE_SIGNING);
  const config = registry.pushBlob(Buffer.from('{}'), 'application/vnd.oci.image.config.v1+json');
  registry.pushManifest(
    { config, layers: [{ ...layer, annotations }] },
    { tag: `${digest.replace(':', '-')}.sig` },
  );
  return layer.digest;
}

/** Attaches a bundle with a statement about an image. */
export async function pushAttestation(
  registry: OciRegistry,
  sigstore: TestSigstore,
  digest: string,
  { who, names = digest, predicate = { made: 'well' }, says = 'artifactType', ...faults }: SignatureToPush,
): Promise<void> {
  const payload = Buffer.from(
    JSON.stringify({
      _type: 'https://in-toto.io/Statement/v1',
      subject: [{ name: 'notes', digest: { sha256: names.replace('sha256:', '') } }],
      predicateType: 'https://slsa.dev/provenance/v1',
      predicate,
    }),
  );
  const signed = await sigstore.sign(preAuthEncoding(IN_TOTO, payload), who, hashedRekord, faults);
  const envelope = {
    payload: payload.toString('base64'),
    payloadType: IN_TOTO,
    signatures: [{ sig: signed.signature.toString('base64'), keyid: '' }],
  };
  pushBundle(registry, digest, bundleOf(signed, { dsseEnvelope: envelope }), says);
}

/** Attaches a bundle with a bare signature of the manifest. */
export async function pushManifestSignature(
  registry: OciRegistry,
  sigstore: TestSigstore,
  digest: string,
  manifest: Buffer,
  { who, says = 'artifactType', ...faults }: SignatureToPush,
): Promise<void> {
  const signed = await sigstore.sign(manifest, who, hashedRekord, faults);
  const messageDigest = {
    algorithm: 'SHA2_256',
    digest: Buffer.from(digest.replace('sha256:', ''), 'hex').toString('base64'),
  };
  const messageSignature = { messageDigest, signature: signed.signature.toString('base64') };
  pushBundle(registry, digest, bundleOf(signed, { messageSignature }), says);
}

export function pushBundle(
  registry: OciRegistry,
  digest: string,
  bundle: unknown,
  says: SignatureToPush['says'] = 'artifactType',
): void {
  const bytes = Buffer.from(typeof bundle === 'string' ? bundle : JSON.stringify(bundle));
  const layer = registry.pushBlob(bytes, says === 'layer' ? BUNDLE : 'application/octet-stream');
  const configType = says === 'config' ? BUNDLE : 'application/vnd.oci.empty.v1+json';
  const config = registry.pushBlob(Buffer.from('{}'), configType);
  const subject = { mediaType: 'application/vnd.oci.image.manifest.v1+json', digest, size: 1 };
  const isSaid = says === 'artifactType';
  registry.pushReferrer(
    digest,
    { config, layers: [layer], subject, ...(isSaid ? { artifactType: BUNDLE } : {}) },
    { artifactType: isSaid ? BUNDLE : 'application/vnd.oci.empty.v1+json' },
  );
}

function bundleOf({ certificate, logEntry, timestamp }: Signed, content: object): object {
  return {
    mediaType: BUNDLE,
    verificationMaterial: {
      certificate: { rawBytes: certificate.toString('base64') },
      tlogEntries: logEntry === undefined ? [] : [tlogEntryOf(logEntry)],
      timestampVerificationData: {
        rfc3161Timestamps: timestamp === undefined ? [] : [{ signedTimestamp: timestamp.toString('base64') }],
      },
    },
    ...content,
  };
}

function tlogEntryOf(entry: NonNullable<Signed['logEntry']>): object {
  const { inclusionProof: proof } = entry;
  return {
    logIndex: String(entry.logIndex),
    logId: { keyId: Buffer.from(entry.logID, 'hex').toString('base64') },
    kindVersion: { kind: 'hashedrekord', version: '0.0.1' },
    integratedTime: String(entry.integratedTime),
    inclusionPromise: { signedEntryTimestamp: entry.signedEntryTimestamp },
    inclusionProof: {
      logIndex: String(proof.logIndex),
      treeSize: String(proof.treeSize),
      rootHash: Buffer.from(proof.rootHash, 'hex').toString('base64'),
      hashes: proof.hashes,
      checkpoint: { envelope: proof.checkpoint },
    },
    canonicalizedBody: entry.body,
  };
}
