import type { JsonObject } from '@portolan/plugin-api';
import { VERIFICATION_MODES, type VerificationMode } from '@portolan/run-spec';
import type { RunConfig } from '@portolan/run-spec';
import type { WorkloadContext } from '../../workload-context.ts';
import type { ImageSource } from './image-source.ts';
import { resolveTarget } from './resolve-target.ts';

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
  const { verifyImage } = await import('../../verification/verify-image.ts');
  const request = { reference: source.reference, mode, provenance };
  const { warnings, reference } = await verifyImage(request, context, signal);
  return { warnings, pinned: reference };
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
