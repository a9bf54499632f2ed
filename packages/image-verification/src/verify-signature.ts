import type { Bundle } from '@sigstore/bundle';
import type { Verifier } from '@sigstore/verify';
import { memberOf, objectsIn, readJson, textMember } from '@portolan/run-spec';
import type { SignatureReference } from './find-signatures.ts';
import type { SignedIdentity } from './signed-identity.ts';

export interface SignedImage {
  readonly digest: string;
  readonly readManifest: () => Promise<Buffer>;
}

/** Sigstore modules, loaded on demand. */
export interface Sigstore {
  readonly verifier: Verifier;
  readonly bundleFromJSON: typeof import('@sigstore/bundle').bundleFromJSON;
  readonly toSignedEntity: typeof import('@sigstore/verify').toSignedEntity;
}

const IN_TOTO = 'application/vnd.in-toto+json';
const COSIGN_TYPE = 'cosign container image signature';

/**
 * Verifies a signature and that it is for this image. Throws an Error with the reason when it is invalid. The
 * caller checks the signer.
 */
export async function verifySignature(
  signature: SignatureReference,
  image: SignedImage,
  { verifier, bundleFromJSON, toSignedEntity }: Sigstore,
): Promise<SignedIdentity> {
  const bundle = bundleFromJSON(signature.bundle);
  if (bundle.verificationMaterial.content.$case === 'publicKey') {
    throw new Error('it is signed with a key alone, which does not identify the signer');
  }
  const artifact = await artifactOf(signature, bundle, image);
  const { identity } = verifier.verify(toSignedEntity(bundle, artifact));
  const statement = statementOf(signature, bundle, image.digest);
  const extension = (number: number): string | undefined => extensionOf(identity?.oids ?? [], number);
  return {
    subject: identity?.subjectAlternativeName,
    issuer: identity?.extensions?.issuer,
    runnerEnvironment: extension(11),
    repositoryUri: extension(12),
    repositoryRef: extension(14),
    statement,
  };
}

/** Returns the content that a bare signature covers; an envelope includes it. */
async function artifactOf(
  { signs }: SignatureReference,
  bundle: Bundle,
  { digest, readManifest }: SignedImage,
): Promise<Buffer | undefined> {
  if (signs.what === 'payload') return signs.payload;
  const { content } = bundle;
  if (content.$case === 'dsseEnvelope') return undefined;
  const signed = content.messageSignature.messageDigest;
  if (`sha256:${signed.digest.toString('hex')}` !== digest)
    throw new Error('it signs other content than this image');
  return await readManifest();
}

/** Checks that the signed content names this image, and returns the statement if it is one. */
function statementOf(
  { signs }: SignatureReference,
  { content }: Bundle,
  digest: string,
): SignedIdentity['statement'] {
  if (signs.what === 'payload') {
    const critical = memberOf(parsed(signs.payload), 'critical');
    const named = textMember(memberOf(critical, 'image'), 'docker-manifest-digest');
    if (named !== digest || textMember(critical, 'type') !== COSIGN_TYPE)
      throw new Error('it signs other content than this image');
    return undefined;
  }
  if (content.$case === 'messageSignature') return undefined;
  const { payloadType, payload } = content.dsseEnvelope;
  if (payloadType !== IN_TOTO)
    throw new Error(`it is a statement of the unknown type ${JSON.stringify(payloadType)}`);
  const statement = parsed(payload);
  const isAbout = objectsIn(statement, 'subject').some(
    (subject) => `sha256:${textMember(memberOf(subject, 'digest'), 'sha256') ?? ''}` === digest,
  );
  if (!isAbout) throw new Error('it is a statement about another image');
  return {
    predicateType: textMember(statement, 'predicateType'),
    predicate: memberOf(statement, 'predicate') ?? undefined,
  };
}

function parsed(bytes: Buffer): unknown {
  const reading = readJson(bytes.toString('utf8'));
  if ('fault' in reading) throw new Error(`its signed content cannot be read: ${reading.fault}`);
  return reading.value;
}

type Oids = readonly {
  readonly oid?: { readonly id: readonly number[] } | undefined;
  readonly value: Buffer;
}[];

/** Returns a certificate extension, 1.3.6.1.4.1.57264.1.N: a UTF8String in DER (Fulcio, oid-info). */
function extensionOf(oids: Oids, number: number): string | undefined {
  const name = `1.3.6.1.4.1.57264.1.${number}`;
  const value = oids.find(({ oid }) => oid?.id.join('.') === name)?.value;
  return value === undefined ? undefined : textOfDer(value);
}

function textOfDer(der: Buffer): string | undefined {
  const [tag, first = 0] = der;
  const lengthBytes = first < 0x80 ? 0 : first - 0x80;
  if (tag !== 0x0c || lengthBytes > 3 || first === 0x80 || der.length < 2 + lengthBytes) return undefined;
  const length = lengthBytes === 0 ? first : der.readUIntBE(2, lengthBytes);
  const start = 2 + lengthBytes;
  return der.length === start + length ? der.toString('utf8', start) : undefined;
}
