import path from 'node:path';
import type { JsonObject } from '@portolan/plugin-api';
import { VERIFICATION_MODES, type VerificationMode, type RunConfig } from '@portolan/run-spec';
import type { VerificationContext } from '@portolan/image-verification';
import { makeFolders } from '../../../state/make-folders.ts';
import type { WorkloadContext } from '../../../workload-context.ts';
import type { ImageSource } from '../image-source.ts';
import { resolveTarget } from '../resolve-target.ts';

export interface VerificationRequest {
  readonly source: ImageSource | undefined;
  readonly mode: VerificationMode;
  readonly provenance: JsonObject | undefined;
  /** Whether to warn when the signer of the image is unknown, as for most images. */
  readonly tellsUnknown: boolean;
}

export interface VerifiedImage {
  readonly warnings: readonly string[];
  /**
   * Digest of the verified image, which must be pulled by this digest. Undefined when no image was verified.
   */
  readonly pinned: string | undefined;
}

/** Verifies the signature of an image, unless Portolan builds it. Throws the errors of the verification. */
export async function verifyRunImage(
  { source, mode, provenance, tellsUnknown }: VerificationRequest,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<VerifiedImage> {
  if (source?.form !== 'image') return { warnings: [], pinned: undefined };
  if (mode === 'warn' && provenance === undefined && !tellsUnknown)
    return { warnings: [], pinned: undefined };
  const { verifyImage } = await import('@portolan/image-verification');
  const request = { reference: source.reference, mode, provenance };
  const { warnings, reference } = await verifyImage(request, verificationContext(context), signal);
  return { warnings, pinned: reference };
}

export function verificationContext(context: WorkloadContext): VerificationContext {
  const { environment, openFetch, logger, user, kinds, directories } = context;
  return {
    environment,
    openFetch,
    logger,
    user,
    findCredentials: async (reference, signal) => {
      const runtime = await kinds.openRuntime();
      // A runtime without a container engine does not reveal its registry credentials.
      if (runtime.runs === 'workloads') return undefined;
      return await runtime.engine.findRegistryCredentials?.(reference, signal);
    },
    openCache: async () => {
      const folder = path.join(path.dirname(directories.statuses), 'cache');
      await makeFolders(folder, 0o700);
      return folder;
    },
  };
}

/**
 * Returns the settings for verifying the image of a run config. An unreachable registry is an error only in
 * mode `enabled`.
 */
export async function verificationOf(
  config: RunConfig,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<Omit<VerificationRequest, 'source'>> {
  const mode = VERIFICATION_MODES.find((one) => one === config.image_verification) ?? 'warn';
  const isOfRegistry = config.registry_server_name !== '';
  if (!isOfRegistry || mode === 'disabled') return { mode, provenance: undefined, tellsUnknown: false };
  try {
    const { entry } = await resolveTarget(config.registry_server_name, context, signal);
    return { mode, provenance: entry?.server.provenance, tellsUnknown: true };
  } catch (error) {
    signal.throwIfAborted();
    if (mode === 'enabled') throw error;
    context.logger.debug({ err: error }, 'the registry entry of a run config could not be read');
    return { mode, provenance: undefined, tellsUnknown: true };
  }
}
