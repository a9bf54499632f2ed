import type { ImageProgress, Labels, PackageReference } from '@portolan/plugin-api';
import type { RuntimeConfig } from '@portolan/run-spec';
import type { WorkloadContext } from '../workload-context.ts';

/** What should be built, and of what. */
export interface BuildRequest {
  readonly scheme: string;
  readonly reference: PackageReference;
  readonly runtimeConfig: RuntimeConfig | undefined;
  /** More requirements for the resolver, beside those of `runtimeConfig`. */
  readonly buildWith?: readonly string[];
  /** Path of a file of certificates. */
  readonly caCert: string | undefined;
  /** Arguments that every start of the image has. */
  readonly entryArguments?: readonly string[];
}

/** What a build takes from its surroundings. */
export type BuildContext = Pick<
  WorkloadContext,
  'clock' | 'directories' | 'environment' | 'home' | 'kinds' | 'logger' | 'user' | 'workingDirectory'
>;

export interface BuildOptions {
  readonly onProgress?: (progress: ImageProgress) => void;
  readonly signal?: AbortSignal;
  /** More labels for everything that is made. */
  readonly labels?: Labels;
}

export interface BuiltImage {
  /** Its content-addressed tag. */
  readonly reference: string;
  readonly id: string;
  /** The package with the version that is in the image. */
  readonly package: PackageReference;
  /** False when the image was there already. */
  readonly built: boolean;
  /** Sentences for whoever asked. */
  readonly notes: readonly string[];
}
