import type {
  ImageDescription,
  ImageProgress,
  PackageReference,
  ProvideImageOptions,
} from '@portolan/plugin-api';
import { findImageReference } from '@portolan/outbound';
import type { WorkloadContext } from '../../workload-context.ts';
import type { ImageSource } from './image-source.ts';

/** An image that the engine has. */
export interface ProvidedImage {
  /** As the run config names it: what was asked for, or the tag of what was built. */
  readonly reference: string;
  /** By which the very same image is found again. */
  readonly digest: string;
  /** TCP ports that it exposes. */
  readonly exposedPorts: readonly number[];
  /** The package that was built, its version resolved. */
  readonly package: PackageReference | undefined;
  readonly notes: readonly string[];
}

export interface ProvideOptions {
  readonly onProgress: (progress: ImageProgress) => void;
  /** The image that was verified, in place of what its name stands for by now. */
  readonly pinned?: string | undefined;
  readonly signal: AbortSignal;
}

/**
 * Pulls the image, or builds that of a package; one that was built under the
 * same conditions before is taken as it is. Throws ERR_IMAGE_NOT_FOUND, what
 * the build throws, and what the engine says.
 */
export async function provideImage(
  source: ImageSource,
  context: WorkloadContext,
  options: ProvideOptions,
): Promise<ProvidedImage> {
  if (source.form === 'image') return await pullImage(source.reference, 'tag', context, options);
  const { provideBuiltImage } = await import('../../build/provide-built-image.ts');
  const { scheme, reference, runtime: runtimeConfig, caCert } = source;
  const request = { scheme, reference, runtimeConfig, caCert: caCert === '' ? undefined : caCert };
  const built = await provideBuiltImage(request, context, options);
  return {
    reference: built.reference,
    digest: built.id,
    exposedPorts: [],
    package: built.package,
    notes: built.notes,
  };
}

/** Sees that the engine has an image, where there is one; what is verified is what is pulled. Throws what the engine says. */
export async function pullImage(
  reference: string,
  pull: ProvideImageOptions['pull'],
  context: WorkloadContext,
  { onProgress, pinned, signal }: ProvideOptions,
): Promise<ProvidedImage> {
  const opened = await context.kinds.openRuntime();
  if (opened.runs === 'workloads') return fetchedByHost(reference, pinned);
  const runtime = opened.engine;
  const image =
    pinned === undefined
      ? await runtime.provideImage(reference, { pull, onProgress, signal })
      : await runtime.provideImage(pinned, { pull: 'missing', onProgress, signal });
  const described = describe(reference, image);
  return { ...described, digest: pinned ?? described.digest, package: undefined, notes: [] };
}

/** A host fetches images when it starts servers; it is told the digest of one that was verified. What ports an image exposes is not known. */
export function fetchedByHost(reference: string, digest: string | undefined): ProvidedImage {
  return { reference, digest: digest ?? '', exposedPorts: [], package: undefined, notes: [] };
}

/** What is remembered of an image that the engine has. */
export function describe(
  reference: string,
  image: ImageDescription,
): Pick<ProvidedImage, 'reference' | 'digest' | 'exposedPorts'> {
  const ports = image.exposedPorts.filter(({ protocol }) => protocol === 'tcp').map(({ port }) => port);
  return { reference, digest: pinnedReference(reference, image), exposedPorts: ports };
}

/** The digest under which a registry knows the image by this name, else its id on this engine. */
export function pinnedReference(reference: string, { id, digests }: ImageDescription): string {
  const asked = withHost(reference);
  return digests.find((digest) => withHost(digest) === asked) ?? id;
}

/** Host and repository in full, so that two ways of writing one repository are the same. */
function withHost(text: string): string {
  const reference = findImageReference(text);
  if (reference === undefined) return text;
  const { registry = 'docker.io', repository } = reference;
  const isOfficial = registry === 'docker.io' && !repository.includes('/');
  return `${registry}/${isOfficial ? 'library/' : ''}${repository}`;
}
