import type { ContainerEngine } from '@portolan/plugin-api';
import { findBuilt } from './find-built.ts';
import { BUILT_LABELS } from './image-labels.ts';
import { usersIn } from './use-marks.ts';

export interface ListedImage {
  readonly reference: string;
  readonly id: string;
  readonly scheme: string;
  /** As it was named, without version; a folder by its path. */
  readonly package: string;
  /** Empty for a folder. */
  readonly version: string;
  /** The state folder for whose workloads it was built, as labels have it; empty where that is not known. */
  readonly builtFor: string;
  /** The other state folders whose workloads use it, as they say by its names. */
  readonly usedBy: readonly string[];
  readonly sizeBytes: number;
  readonly createdAt: Date;
}

/** All images on this engine that were built of packages, newest first, also those of other state folders. */
export async function listBuiltImages(
  runtime: Pick<ContainerEngine, 'listImages'>,
  signal?: AbortSignal,
): Promise<readonly ListedImage[]> {
  const found = await findBuilt(runtime, {}, signal);
  return found.map(({ reference, references, id, labels, sizeBytes, createdAt }) => ({
    reference,
    id,
    scheme: labels[BUILT_LABELS.scheme] ?? '',
    package: labels[BUILT_LABELS.package] ?? '',
    version: labels[BUILT_LABELS.version] ?? '',
    builtFor: labels[BUILT_LABELS.builtFor] ?? '',
    usedBy: usersIn(references),
    sizeBytes,
    createdAt,
  }));
}
