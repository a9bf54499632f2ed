import type {
  ImageDescription,
  ImageProgress,
  PackageReference,
  ProvideImageOptions,
} from '@portolan/plugin-api';
import { findImageReference } from '@portolan/outbound';
import type { WorkloadContext } from '../../workload-context.ts';
import type { ImageSource } from './image-source.ts';

export interface ProvidedImage {
  /** Requested name, or the tag of a built image. */
  readonly reference: string;
  /** Digest or id that identifies exactly this image. */
  readonly digest: string;
  /** TCP ports that the image exposes. */
  readonly exposedPorts: readonly number[];
  readonly package: PackageReference | undefined;
  readonly notes: readonly string[];
}

export interface ProvideOptions {
  readonly onProgress: (progress: ImageProgress) => void;
  /**
   * Digest of the verified image. The name alone is not enough, because it may refer to another image by now.
   */
  readonly pinned?: string | undefined;
  readonly signal: AbortSignal;
}

/**
 * Pulls an image, or builds it from a package. Throws ERR_IMAGE_NOT_FOUND and the errors of the build and the
 * engine.
 */
export async function provideImage(
  source: ImageSource,
  context: WorkloadContext,
  options: ProvideOptions,
): Promise<ProvidedImage> {
  if (source.form === 'image') return await pullImage(source.reference, 'tag', context, options);
  const { provideBuiltImage } = await import('../../build/provide-built-image.ts');
  const { scheme, reference, runtime: runtimeConfig, caCert, integrity } = source;
  const request = {
    scheme,
    reference,
    runtimeConfig,
    caCert: caCert === '' ? undefined : caCert,
    ...(integrity === undefined ? {} : { integrity }),
  };
  const built = await provideBuiltImage(request, context, options);
  return {
    reference: built.reference,
    digest: built.id,
    exposedPorts: [],
    package: built.package,
    notes: built.notes,
  };
}

/** Provides an image by name or by its verified digest. Throws the engine's errors. */
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

/**
 * Describes an image that a runtime without a container engine fetches itself. Its exposed ports are unknown.
 */
export function fetchedByHost(reference: string, digest: string | undefined): ProvidedImage {
  return { reference, digest: digest ?? '', exposedPorts: [], package: undefined, notes: [] };
}

export function describe(
  reference: string,
  image: ImageDescription,
): Pick<ProvidedImage, 'reference' | 'digest' | 'exposedPorts'> {
  const ports = image.exposedPorts.filter(({ protocol }) => protocol === 'tcp').map(({ port }) => port);
  return { reference, digest: pinnedReference(reference, image), exposedPorts: ports };
}

/** Returns the registry digest that identifies the image; the image's id when it has no registry digest. */
export function pinnedReference(reference: string, { id, digests }: ImageDescription): string {
  const fullReference = withHost(reference);
  return digests.find((digest) => withHost(digest) === fullReference) ?? id;
}

/**
 * Returns the repository in its full form, because different spellings of one repository must compare as
 * equal.
 */
function withHost(text: string): string {
  const reference = findImageReference(text);
  if (reference === undefined) return text;
  const { registry = 'docker.io', repository } = reference;
  const isOfficial = registry === 'docker.io' && !repository.includes('/');
  return `${registry}/${isOfficial ? 'library/' : ''}${repository}`;
}
