import { isPortolanError, type JsonObject, type RegistryCredentials } from '@portolan/plugin-api';
import { textOf } from '@portolan/run-spec';
import type { VerificationMode } from '@portolan/run-spec';
import { findAttachedBundles, findCosignSignatures, type SignatureSearch } from './find-signatures.ts';
import { imagePlaceOf } from './image-location.ts';
import { ImageRegistry } from './image-registry.ts';
import { parseProvenance, type Provenance } from './provenance.ts';
import { compareProvenance } from './signed-identity.ts';
import { type FetchTrustedRoot, thresholdsOf, trustedRootFetcher } from './trust-root.ts';
import type { VerificationContext } from './verification-context.ts';
import { imageNotSigned, provenanceDiffers, provenanceNotSet, verifierUnavailable } from './errors.ts';
import { type SignedImage, type Sigstore, verifySignature } from './verify-signature.ts';

export interface VerificationRequest {
  readonly reference: string;
  readonly mode: VerificationMode;
  readonly provenance: JsonObject | undefined;
  /** Whether the image was just built, so that there is nothing to verify. */
  readonly isBuiltHere?: boolean;
}

export interface VerificationOutcome {
  readonly warnings: readonly string[];
  readonly verified: boolean;
  readonly digest?: string;
  /** Verified image, `NAME@sha256:…`, to pull and run. */
  readonly reference?: string;
}

/**
 * Checks who signed an image, before it is pulled. `disabled` checks nothing; `warn` turns every fault into a
 * warning, and the image then runs unverified; `enabled` throws ERR_IMAGE_PROVENANCE_UNKNOWN,
 * ERR_IMAGE_VERIFIER or ERR_IMAGE_PROVENANCE. Throws the reason of the signal in every mode.
 */
export async function verifyImage(
  request: VerificationRequest,
  context: VerificationContext,
  signal?: AbortSignal,
  fetchTrustedRoot: FetchTrustedRoot = trustedRootFetcher(context),
): Promise<VerificationOutcome> {
  const { reference, mode, isBuiltHere = false } = request;
  if (isBuiltHere) return { warnings: [], verified: false };
  if (mode === 'disabled') {
    return {
      warnings: [`The signature of ${reference} is not checked: image verification is disabled.`],
      verified: false,
    };
  }
  try {
    const provenance = parseProvenance(request.provenance);
    if (provenance === undefined) throw provenanceNotSet(reference);
    const digest = await verify(reference, provenance, { context, signal, fetchTrustedRoot });
    return { warnings: [], verified: true, digest, reference: `${imagePlaceOf(reference).name}@${digest}` };
  } catch (error) {
    signal?.throwIfAborted();
    if (mode === 'enabled' || !isPortolanError(error)) throw error;
    const isUnknown = error.code === 'ERR_IMAGE_PROVENANCE_UNKNOWN';
    return { warnings: [isUnknown ? nobodyNamed(reference) : error.message], verified: false };
  }
}

function nobodyNamed(reference: string): string {
  return `Who has made ${reference} is not checked: no registry entry says who should have signed it.`;
}

interface Means {
  readonly context: VerificationContext;
  readonly signal: AbortSignal | undefined;
  readonly fetchTrustedRoot: FetchTrustedRoot;
}

async function verify(reference: string, provenance: Provenance, means: Means): Promise<string> {
  const sigstore = await openSigstore(provenance.sigstoreHost, means);
  const { context, signal } = means;
  // An image registry in a private network is legitimate.
  const connections = await context.openFetch({
    allowPrivateAddresses: true,
    environment: context.environment,
  });
  const { fetch } = connections;
  try {
    const findCredentials = credentialsFinder(reference, means);
    const registry = new ImageRegistry({ place: imagePlaceOf(reference), fetch, findCredentials, signal });
    const digest = await registry.resolve();
    const readManifest = async (): Promise<Buffer> => {
      const manifest = await registry.findManifest(digest);
      if (manifest === undefined) throw new Error('the registry does not have the image itself');
      return manifest.bytes;
    };
    await checkSignatures(reference, provenance, { digest, readManifest }, registry, sigstore);
    return digest;
  } finally {
    await connections.close();
  }
}

/** A broken credential helper or an unavailable engine does not prevent access to a public image. */
export function credentialsFinder(
  reference: string,
  { context: { findCredentials, logger }, signal }: Pick<Means, 'context' | 'signal'>,
): () => Promise<RegistryCredentials | undefined> {
  return async () => {
    try {
      return await findCredentials(reference, signal);
    } catch (error) {
      signal?.throwIfAborted();
      logger.warn({ image: reference, reason: textOf(error) }, 'no credentials for the image registry');
      return undefined;
    }
  };
}

async function openSigstore(host: string, { signal, fetchTrustedRoot }: Means): Promise<Sigstore> {
  const thresholds = thresholdsOf(host);
  const root = await fetchTrustedRoot(host, signal);
  try {
    const [{ bundleFromJSON }, { toSignedEntity, toTrustMaterial, Verifier }] = await Promise.all([
      import('@sigstore/bundle'),
      import('@sigstore/verify'),
    ]);
    return { bundleFromJSON, toSignedEntity, verifier: new Verifier(toTrustMaterial(root), thresholds) };
  } catch (error) {
    throw verifierUnavailable(`the trust root of ${host} cannot be used: ${textOf(error)}`, error);
  }
}

/** Requires one valid signature of the expected signer. */
async function checkSignatures(
  reference: string,
  provenance: Provenance,
  image: SignedImage,
  registry: ImageRegistry,
  sigstore: Sigstore,
): Promise<void> {
  const faults: string[] = [];
  const differences: (readonly string[])[] = [];
  const isSigned = async ({ signatures, unreadable }: SignatureSearch): Promise<boolean> => {
    faults.push(...unreadable);
    for (const signature of signatures) {
      try {
        const differs = compareProvenance(provenance, await verifySignature(signature, image, sigstore));
        if (differs.length === 0) return true;
        differences.push(differs);
      } catch (error) {
        if (isPortolanError(error)) throw error;
        faults.push(`${signature.place}: ${textOf(error)}`);
      }
    }
    return false;
  };
  if (await isSigned(await findCosignSignatures(registry, image.digest))) return;
  if (await isSigned(await findAttachedBundles(registry, image.digest))) return;
  const [nearest] = differences.toSorted((a, b) => a.length - b.length);
  if (nearest !== undefined) throw provenanceDiffers(reference, nearest);
  const because =
    faults.length === 0
      ? `${image.digest} has no signature`
      : `no signature holds:\n  ${faults.join('\n  ')}`;
  throw imageNotSigned(reference, because);
}
