import type { PackageReference } from '@portolan/plugin-api';
import {
  type ContainerSettings,
  type RunConfig,
  type RuntimeConfig,
  badRunTarget,
  formatPackage,
  imageNameOfPackage,
  nameServer,
  parsePackage,
  refuseReservedImage,
} from '@portolan/run-spec';
import type { WorkloadKinds } from '../../workload-context.ts';
import type { ResolvedTarget } from './resolve-target.ts';

export type ImageSource = { readonly form: 'image'; readonly reference: string } | PackageSource;

export interface PackageSource {
  readonly form: 'package';
  readonly scheme: string;
  readonly reference: PackageReference;
  readonly runtime: RuntimeConfig | undefined;
  /** Path of a CA certificate file; empty for none. */
  readonly caCert: string;
  /** Hash that the package must have in its index; undefined for any. */
  readonly integrity?: string;
}

type Kinds = Pick<WorkloadKinds, 'schemes'>;
type Built = { readonly runtime: RuntimeConfig | undefined; readonly caCert: string };

/**
 * Returns the image source for a run: an image to pull or a package to build. Undefined for a remote server.
 * Throws ERR_RUN_TARGET and ERR_PACKAGE.
 */
export function imageSourceOf(
  { target, entry }: Pick<ResolvedTarget, 'target' | 'entry'>,
  container: ContainerSettings | undefined,
  kinds: Kinds,
): ImageSource | undefined {
  if (container === undefined) return undefined;
  return sourceOf(
    { target, entry },
    { runtime: container.runtime.value, caCert: container.caCert.value },
    kinds,
  );
}

/** Returns the image source for a target, with explicit build settings. Throws like `imageSourceOf`. */
export function sourceOf(
  { target, entry }: Pick<ResolvedTarget, 'target' | 'entry'>,
  built: Built,
  kinds: Kinds,
): ImageSource | undefined {
  if (target.from === 'image') return imageSource(target.reference, 'SERVER');
  if (target.from === 'scheme') {
    return { form: 'package', scheme: target.scheme, reference: target.reference, ...built };
  }
  const runs = entry?.server.runs;
  if (runs === undefined || runs.form === 'remote') return undefined;
  if (runs.form === 'image') return imageSource(runs.image, `The entry ${entry?.server.server ?? ''}`);
  const packages = kinds.schemes.get(runs.scheme);
  if (packages === undefined) {
    const text = `${runs.scheme}://${runs.package}`;
    throw badRunTarget(text, `there is no scheme ${runs.scheme}://`, 'Install the plugin that brings it.');
  }
  return { form: 'package', scheme: runs.scheme, reference: parsePackage(runs.package, packages), ...built };
}

/** Returns whether an image source is the workload's own image or package, at any version. */
export function isVersionOf({ image, run_target: target }: RunConfig, source: ImageSource): boolean {
  if (target.includes('://')) return nameServer(target) === nameServer(describeSource(source));
  if (source.form === 'image') return nameServer(image) === nameServer(source.reference);
  const { reference } = source;
  const unversioned = reference.from === 'index' ? { ...reference, version: undefined } : reference;
  const name = imageNameOfPackage(source.scheme, unversioned);
  return image.replace(/^localhost\//, '').split(':')[0] === name;
}

export function describeSource(source: ImageSource): string {
  return source.form === 'image' ? source.reference : `${source.scheme}://${formatPackage(source.reference)}`;
}

function imageSource(reference: string, place: string): ImageSource {
  refuseReservedImage(reference, place);
  return { form: 'image', reference };
}
