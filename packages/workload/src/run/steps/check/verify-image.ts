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
  /** What the registry entry says about where its image is from. */
  readonly provenance: JsonObject | undefined;
  /** Whether it is to be said that nothing is known of who has made the image: of most images nothing is. */
  readonly tellsUnknown: boolean;
}

export interface VerifiedImage {
  /** Sentences about what was not as it should be. */
  readonly warnings: readonly string[];
  /** The very image that was verified, which is the one to pull; undefined when none was. */
  readonly pinned: string | undefined;
}

/**
 * Checks who has made the image, before it is pulled. An image that is built
 * here of a package is not asked for: nobody else has made it. Throws what the
 * verification throws.
 */
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

/** What asking image registries takes from the context of workloads. */
export function verificationContext(context: WorkloadContext): VerificationContext {
  const { environment, openFetch, logger, user, kinds, directories } = context;
  return {
    environment,
    openFetch,
    logger,
    user,
    findCredentials: async (reference, signal) => {
      const runtime = await kinds.openRuntime();
      // A host fetches with credentials of its own, which it shows to nobody.
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
 * How the image of a run config is verified: the registry that it is from is
 * asked again. Where a warning is enough, one that does not answer is none.
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
