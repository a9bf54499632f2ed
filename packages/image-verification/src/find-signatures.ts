import { memberOf, readJson, textMember, textOf } from '@portolan/run-spec';
import { cosignBundle } from './cosign-bundle.ts';
import { type Descriptor, descriptorsIn } from './descriptor.ts';
import type { ImageRegistry } from './image-registry.ts';

/** Unverified signature from the registry. */
export interface SignatureReference {
  readonly place: string;
  readonly bundle: unknown;
  /**
   * `payload`: the signed bytes, which name the image. `manifest`: the signature covers the manifest, or a
   * statement about it.
   */
  readonly signs: { readonly what: 'payload'; readonly payload: Buffer } | { readonly what: 'manifest' };
}

export interface SignatureSearch {
  readonly signatures: readonly SignatureReference[];
  readonly unreadable: readonly string[];
}

const SIMPLE_SIGNING = 'application/vnd.dev.cosign.simplesigning.v1+json';
const BUNDLE = 'application/vnd.dev.sigstore.bundle';
const EMPTY = 'application/vnd.oci.empty.v1+json';
/** Maximum number of signatures, which bounds the work that a registry can cause. */
const MOST = 64;

export async function findCosignSignatures(
  registry: ImageRegistry,
  digest: string,
): Promise<SignatureSearch> {
  const tag = `${digest.replace(':', '-')}.sig`;
  const manifest = await registry.findManifest(tag);
  const layers = descriptorsIn(manifest?.value, 'layers').filter(
    ({ mediaType }) => mediaType === SIMPLE_SIGNING,
  );
  return await readEach(layers, async (layer) => {
    const payload = await registry.readBlob(layer.digest);
    const bundle = cosignBundle(payload, layer.annotations);
    return { place: `${tag}, ${layer.digest}`, bundle, signs: { what: 'payload', payload } };
  });
}

export async function findAttachedBundles(registry: ImageRegistry, digest: string): Promise<SignatureSearch> {
  const referrers = (await registry.listReferrers(digest)).filter(({ artifactType }) =>
    mayBeBundle(artifactType),
  );
  return await readEach(referrers, async (referrer) => {
    const manifest = (await registry.findManifest(referrer.digest))?.value;
    const [layer] = descriptorsIn(manifest, 'layers');
    if (layer === undefined) throw new Error('it has no layer');
    if (!isBundle(referrer.artifactType) && !saysBundle(manifest, layer)) return undefined;
    const reading = readJson((await registry.readBlob(layer.digest)).toString('utf8'));
    if ('fault' in reading) throw new Error(reading.fault);
    return { place: referrer.digest, bundle: reading.value, signs: { what: 'manifest' } };
  });
}

function mayBeBundle(artifactType: string | undefined): boolean {
  return artifactType === undefined || artifactType === EMPTY || isBundle(artifactType);
}

function isBundle(type: string | undefined): boolean {
  return type?.startsWith(BUNDLE) === true;
}

function saysBundle(manifest: unknown, layer: Descriptor): boolean {
  return (
    isBundle(textMember(manifest, 'artifactType')) ||
    isBundle(textMember(memberOf(manifest, 'config'), 'mediaType')) ||
    isBundle(layer.mediaType)
  );
}

/** Reads each signature separately, so that a broken signature does not hide the others. */
async function readEach(
  descriptors: readonly Descriptor[],
  read: (descriptor: Descriptor) => Promise<SignatureReference | undefined>,
): Promise<SignatureSearch> {
  const signatures: SignatureReference[] = [];
  const unreadable: string[] = [];
  for (const descriptor of descriptors.slice(0, MOST)) {
    try {
      const signature = await read(descriptor);
      if (signature !== undefined) signatures.push(signature);
    } catch (error) {
      unreadable.push(`${descriptor.digest}: ${textOf(error)}`);
    }
  }
  return { signatures, unreadable };
}
