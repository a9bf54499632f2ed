import type { ImageDescription, Logger, ProvideImageOptions } from '@portolan/plugin-api';
import { isPortolanError } from '@portolan/plugin-api';
import type { EngineContext } from '../engine/engine-candidates.ts';
import type { EngineClient } from '../engine/engine-client.ts';
import { imageNotFound } from '../errors.ts';
import { inspectImage, requireImage } from './image-calls.ts';
import { isMoving, parseImageReference } from './image-reference.ts';
import { pullImage } from './pull-image.ts';

const IMAGE_ID = /^(?:sha256:)?[0-9a-f]{64}$/;

export async function provideImage(
  client: EngineClient,
  reference: string,
  options: ProvideImageOptions & { readonly logger: Logger; readonly context: EngineContext },
): Promise<ImageDescription> {
  const { pull, signal, logger, context, onProgress } = options;
  // An image id is never pulled, because no registry resolves it.
  const never = pull === 'never' || IMAGE_ID.test(reference);
  const alwaysPull = !never && pull === 'tag' && isMoving(parseImageReference(reference));
  const local = alwaysPull ? undefined : await inspectImage(client, reference, signal);
  if (local !== undefined) return local;
  if (never) throw imageNotFound(reference);
  try {
    await pullImage(client, reference, { context, logger, onProgress, signal });
  } catch (error) {
    signal?.throwIfAborted();
    const copy = alwaysPull && isPullFault(error) ? await inspectImage(client, reference, signal) : undefined;
    if (copy === undefined) throw error;
    logger.debug({ err: error }, `a pull of ${reference} failed`);
    logger.warn({}, `${reference} cannot be pulled; the local copy is used`);
    return copy;
  }
  return await requireImage(client, reference, signal);
}

function isPullFault(error: unknown): boolean {
  return isPortolanError(error) && (error.code === 'ERR_IMAGE_NOT_FOUND' || error.code === 'ERR_IMAGE_PULL');
}
