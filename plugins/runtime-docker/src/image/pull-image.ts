import type { Readable } from 'node:stream';
import { isReservedImage } from '@portolan/outbound';
import type { ImageProgress, Logger, PortolanError } from '@portolan/plugin-api';
import type { EngineContext } from '../engine/engine-candidates.ts';
import type { EngineClient } from '../engine/engine-client.ts';
import { isConnectionError, statusOf, wordsOf } from '../engine/engine-fault.ts';
import { imageNotFound, pullFailed } from '../errors.ts';
import { parseImageReference } from './image-reference.ts';
import type { ImageReference } from './image-reference.ts';
import { readImageStream } from './image-stream.ts';
import { findCredentials } from './registry-credentials.ts';
import type { RegistryCredentials } from './registry-credentials.ts';

export interface PullOptions {
  readonly context: EngineContext;
  readonly logger: Logger;
  readonly onProgress: ((progress: ImageProgress) => void) | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Matches messages of registries and engines about an absent or inaccessible image. */
const NOT_FOUND =
  /manifest unknown|not found|does not exist|pull access denied|unauthorized|authentication required|denied: |no such image|name unknown|no basic auth/i;

/**
 * Pulls an image. An aborted signal also cancels the engine's pull. Throws ERR_IMAGE_NOT_FOUND when the
 * registry does not have the image, or does not show it to this user. Throws ERR_IMAGE_PULL for other
 * failures.
 */
export async function pullImage(client: EngineClient, text: string, options: PullOptions): Promise<void> {
  const { onProgress, signal } = options;
  // Only Portolan creates these images. A registry's image of such a name comes from someone else.
  if (isReservedImage(text)) throw imageNotFound(text);
  const reference = parseImageReference(text);
  const authconfig = await credentialsFor(reference, options);
  const translate = (error: unknown): PortolanError | undefined =>
    statusOf(error) === undefined && isConnectionError(error)
      ? undefined
      : pullFault(text, wordsOf(error), error);
  const stream = await client.call('pull an image', () => openPull(client, reference, authconfig, signal), {
    signal,
    translate,
  });
  await client.call('pull an image', () => follow(text, stream, onProgress), { signal, translate });
}

async function follow(
  text: string,
  stream: Readable,
  onProgress: ((progress: ImageProgress) => void) | undefined,
): Promise<void> {
  for await (const line of readImageStream(stream)) {
    if (line.line === 'failure') throw pullFault(text, line.reason, undefined);
    if (line.line === 'progress') onProgress?.(line.progress);
  }
}

async function openPull(
  client: EngineClient,
  { name, tag, digest }: ImageReference,
  authconfig: RegistryCredentials | undefined,
  signal: AbortSignal | undefined,
): Promise<Readable> {
  // Without a tag, Docker would pull all tags.
  const options = {
    fromImage: name,
    tag: digest ?? tag ?? 'latest',
    ...(signal === undefined ? {} : { abortSignal: signal }),
  };
  const stream = await client.docker.createImage(authconfig ?? {}, options);
  return stream as Readable; // node:http's response; dockerode declares only its base type
}

function pullFault(text: string, reason: string, cause: unknown): PortolanError {
  const error = cause ?? new Error(reason);
  return NOT_FOUND.test(reason) ? imageNotFound(text, error) : pullFailed(text, reason, error);
}

/**
 * Returns the credentials for the registry. Ignores a broken credential helper, because the image may be
 * public.
 */
async function credentialsFor(
  reference: ImageReference,
  { context, logger }: PullOptions,
): Promise<RegistryCredentials | undefined> {
  try {
    return await findCredentials(reference, context);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    logger.warn({ registry: reference.registry, reason }, 'no credentials for the image registry');
    return undefined;
  }
}
