import type { ImageDescription, Labels } from '@portolan/plugin-api';
import type { EngineClient } from '../engine/engine-client.ts';
import { requireImage } from './image-calls.ts';

/**
 * The labels of the image that was looked at last, so that each of its containers does not ask for them again. They
 * are part of what its id is the hash of; another image may come under the same reference, under the same id none.
 */
export class ImageLabels {
  #id = '';
  #labels: Labels = {};

  note({ id, labels }: Pick<ImageDescription, 'id' | 'labels'>): void {
    this.#id = id;
    this.#labels = labels;
  }

  /** Throws ERR_IMAGE_NOT_FOUND when it is asked for and the engine has none. */
  async of(reference: string, client: EngineClient, signal: AbortSignal | undefined): Promise<Labels> {
    if (reference === this.#id) return this.#labels;
    const image = await requireImage(client, reference, signal);
    this.note(image);
    return image.labels;
  }
}
