import type { ImageProgress, Labels, PackageReference } from '@portolan/plugin-api';
import type { RuntimeConfig } from '@portolan/run-spec';
import type { WorkloadContext } from '../workload-context.ts';

export interface BuildRequest {
  readonly scheme: string;
  readonly reference: PackageReference;
  readonly runtimeConfig: RuntimeConfig | undefined;
  /** Python requirements in addition to those of `runtimeConfig`. */
  readonly buildWith?: readonly string[];
  /** Path of a PEM file of CA certificates. */
  readonly caCert: string | undefined;
  /** Hash that the package must have in its index when it is built; undefined for any. */
  readonly integrity?: string;
  /** Arguments with which each container of the image starts. */
  readonly entryArguments?: readonly string[];
}

export type BuildContext = Pick<
  WorkloadContext,
  'clock' | 'directories' | 'environment' | 'home' | 'kinds' | 'logger' | 'user' | 'workingDirectory'
>;

export interface BuildOptions {
  readonly onProgress?: (progress: ImageProgress) => void;
  readonly signal?: AbortSignal;
  readonly labels?: Labels;
}

export interface BuiltImage {
  /** Content-addressed tag of the image. */
  readonly reference: string;
  readonly id: string;
  readonly package: PackageReference;
  /** Whether a new image was built; false when it already existed. */
  readonly built: boolean;
  readonly notes: readonly string[];
}
