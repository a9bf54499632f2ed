import type { Labels } from '../container.ts';

export interface ImageDescription {
  readonly id: string;
  readonly references: readonly string[];
  /** Repository digests (`REPOSITORY@sha256:…`) by which registries identify the image. */
  readonly digests: readonly string[];
  readonly os: string;
  readonly architecture: string;
  readonly labels: Labels;
  readonly environment: Readonly<Record<string, string>>;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  /** User of the image; empty means root. */
  readonly user: string;
  readonly workingDirectory: string;
  readonly exposedPorts: readonly { readonly port: number; readonly protocol: 'tcp' | 'udp' }[];
  /** Instructions that run when another image is built on this one (`ONBUILD`). */
  readonly onBuild: readonly string[];
  readonly sizeBytes: number;
  readonly createdAt: Date;
}

export interface ProvideImageOptions {
  /**
   * `tag`: pulls a moving tag (none, or `latest`), with the local copy as a fallback, and other tags only
   * when missing. `missing`: pulls only when missing. `never`: requires a local image.
   */
  readonly pull: 'tag' | 'missing' | 'never';
  readonly onProgress?: (progress: ImageProgress) => void;
  readonly signal?: AbortSignal;
}

/** A password, or a token that the registry exchanges for others (OAuth 2 refresh token). */
export type RegistryCredentials =
  | { readonly username: string; readonly password: string }
  | { readonly identityToken: string };

export type ImageProgress =
  | {
      readonly step: 'layer';
      readonly layer: string;
      readonly status: string;
      readonly doneBytes: number;
      readonly totalBytes: number | undefined;
    }
  | { readonly step: 'output'; readonly text: string };

export interface ImportImageOptions {
  readonly reference: string;
  readonly entrypoint?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly user?: string;
  readonly workingDirectory?: string;
  readonly labels?: Labels;
  readonly signal?: AbortSignal;
}

export interface BuildImageOptions {
  readonly reference: string;
  /**
   * Unique identifier of this build. Each stage of the Dockerfile sets it as `BUILD_LABEL`. The runtime finds
   * and removes the images and containers of the build by it. Default: none, for a Dockerfile that runs
   * nothing.
   */
  readonly buildId?: string;
  /** Path of the Dockerfile in the context. */
  readonly dockerfile: string;
  readonly buildArguments?: Readonly<Record<string, string>>;
  readonly labels?: Labels;
  /** Container whose network the build uses. Default: the engine's default network. */
  readonly networkOf?: string;
  /** Maximum memory of each step in bytes. */
  readonly memoryBytes?: number;
  /**
   * Maximum number of processes of each build step. Applies only where the engine lists the containers of
   * steps. Needs `buildId`.
   */
  readonly maxProcesses?: number;
  /**
   * Maximum size of the image in bytes. A larger image ends the build with ERR_IMAGE_BUILD. Needs `buildId`.
   */
  readonly maxImageBytes?: number;
  readonly onProgress?: (progress: ImageProgress) => void;
  readonly signal?: AbortSignal;
}
