import type { ImageProgress, Labels, PackageReference } from '@portolan/plugin-api';
import type { RuntimeConfig } from '@portolan/run-spec';
import type { WorkloadContext } from '../workload-context.ts';

/** Package to build and the settings of the build. */
export interface BuildRequest {
  readonly scheme: string;
  readonly reference: PackageReference;
  readonly runtimeConfig: RuntimeConfig | undefined;
  /** Requirements for the package resolver in addition to those of `runtimeConfig`. */
  readonly buildWith?: readonly string[];
  /** Path of a PEM file of CA certificates. */
  readonly caCert: string | undefined;
  /** Arguments of every container that is started from the image. */
  readonly entryArguments?: readonly string[];
}

/** Environment and services that a build uses. */
export type BuildContext = Pick<
  WorkloadContext,
  'clock' | 'directories' | 'environment' | 'home' | 'kinds' | 'logger' | 'user' | 'workingDirectory'
>;

export interface BuildOptions {
  readonly onProgress?: (progress: ImageProgress) => void;
  readonly signal?: AbortSignal;
  /** Additional labels for images, containers and networks of the build. */
  readonly labels?: Labels;
}

export interface BuiltImage {
  /** Content-addressed tag. */
  readonly reference: string;
  readonly id: string;
  /** Package with the version in the image. */
  readonly package: PackageReference;
  /** False when the image already existed. */
  readonly built: boolean;
  /** Sentences for the user. */
  readonly notes: readonly string[];
}
