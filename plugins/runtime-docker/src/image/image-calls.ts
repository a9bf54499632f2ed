import type { ImageDescription, Labels } from '@portolan/plugin-api';
import type { EngineClient } from '../engine/engine-client.ts';
import { statusOf } from '../engine/engine-fault.ts';
import { labelFilter } from '../engine/label-filter.ts';
import { imageInUse, imageNotFound } from '../errors.ts';
import { describeImage } from './describe-image.ts';
import { unlessVanishing } from './unless-vanishing.ts';

export async function inspectImage(
  client: EngineClient,
  reference: string,
  signal?: AbortSignal,
): Promise<ImageDescription | undefined> {
  const inspect = async (): Promise<ImageDescription | undefined> => {
    try {
      return describeImage(await client.docker.getImage(inPath(reference)).inspect());
    } catch (error) {
      if (statusOf(error) === 404) return undefined;
      throw error;
    }
  };
  return await client.call('show an image', () => unlessVanishing(inspect, signal), { signal });
}

/** Returns a local image. Throws ERR_IMAGE_NOT_FOUND when there is none. */
export async function requireImage(
  client: EngineClient,
  reference: string,
  signal?: AbortSignal,
): Promise<ImageDescription> {
  const image = await inspectImage(client, reference, signal);
  if (image === undefined) throw imageNotFound(reference);
  return image;
}

/** Lists images with all of these labels, without those that are removed during the call. */
export async function listImages(
  client: EngineClient,
  labels: Labels,
  signal?: AbortSignal,
): Promise<readonly ImageDescription[]> {
  const filters = JSON.stringify(labelFilter(labels));
  const list = (): Promise<readonly { readonly Id: string }[]> => client.docker.listImages({ filters });
  const images = await client.call('list images', () => unlessVanishing(list, signal), { signal });
  const imageDescriptions = await Promise.all(images.map(({ Id }) => inspectImage(client, Id, signal)));
  return imageDescriptions.filter((image) => image !== undefined);
}

/**
 * Removes one reference of an image. Removes the image when this was its last reference. Throws ERR_IN_USE.
 */
export async function removeImage(
  client: EngineClient,
  reference: string,
  signal?: AbortSignal,
): Promise<void> {
  const remove = async (): Promise<void> => {
    try {
      await client.docker.getImage(inPath(reference)).remove();
    } catch (error) {
      if (statusOf(error) !== 404) throw error;
    }
  };
  await client.call('remove an image', remove, {
    signal,
    translate: (error) => (statusOf(error) === 409 ? imageInUse(reference, error) : undefined),
  });
}

/** Encodes an image reference for a URL path; slashes, colons and at-signs stay. */
function inPath(reference: string): string {
  return encodeURIComponent(reference).replaceAll(/%(?:2F|3A|40)/g, decodeURIComponent);
}
