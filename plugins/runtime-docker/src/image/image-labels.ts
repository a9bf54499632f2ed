import type { ImageDescription, Labels } from '@portolan/plugin-api';
import type { EngineClient } from '../engine/engine-client.ts';
import { requireImage } from './image-calls.ts';

/** Maximum number of cached images. A workload has two: the server's and the gateway's. */
const MOST = 8;

/**
 * Cache of image labels by image id. The id is a hash that covers the labels, so an entry never becomes
 * stale.
 */
export class ImageLabels {
  readonly #byId = new Map<string, Labels>();

  note({ id, labels }: Pick<ImageDescription, 'id' | 'labels'>): void {
    this.#byId.set(id, labels);
    const [oldest] = this.#byId.keys();
    if (this.#byId.size > MOST && oldest !== undefined) this.#byId.delete(oldest);
  }

  /** Returns the labels of an image. Throws ERR_IMAGE_NOT_FOUND. */
  async of(reference: string, client: EngineClient, signal: AbortSignal | undefined): Promise<Labels> {
    const known = this.#byId.get(reference);
    if (known !== undefined) return known;
    const image = await requireImage(client, reference, signal);
    this.note(image);
    return image.labels;
  }
}
