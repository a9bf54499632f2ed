import type { ContainerEngine } from '@portolan/plugin-api';
import { findBuilt } from './find-built.ts';
import { BUILT_LABELS } from './image-labels.ts';
import { usersIn } from './use-marks.ts';

export interface ListedImage {
  readonly reference: string;
  readonly id: string;
  readonly scheme: string;
  /** Name of the package without version, or path of a folder. */
  readonly package: string;
  /** Version of the package; empty for a folder. */
  readonly version: string;
  /** Id of the state folder that built the image; empty when unknown. */
  readonly builtFor: string;
  /** Ids of state folders that use the image although they did not build it. */
  readonly usedBy: readonly string[];
  readonly sizeBytes: number;
  readonly createdAt: Date;
}

/** Returns all package images on this engine, newest first. */
export async function listBuiltImages(
  runtime: Pick<ContainerEngine, 'listImages'>,
  signal?: AbortSignal,
): Promise<readonly ListedImage[]> {
  const built = await findBuilt(runtime, {}, signal);
  return built.map(({ reference, references, id, labels, sizeBytes, createdAt }) => ({
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
