import type { ImageDescription, Labels } from '@portolan/plugin-api';
import type { EngineClient } from '../engine/engine-client.ts';
import { requireImage } from './image-calls.ts';

/** More images than a workload has: its own, and that of its gateway. */
const MOST = 8;

/**
 * The labels of images that were looked at, so that each of their containers does not ask for them again. They
 * are part of what the id is the hash of; another image may come under the same reference, under the same id none.
 */
export class ImageLabels {
  readonly #byId = new Map<string, Labels>();

  note({ id, labels }: Pick<ImageDescription, 'id' | 'labels'>): void {
    this.#byId.set(id, labels);
    const [oldest] = this.#byId.keys();
    if (this.#byId.size > MOST && oldest !== undefined) this.#byId.delete(oldest);
  }

  /** Throws ERR_IMAGE_NOT_FOUND when it is asked for and the engine has none. */
  async of(reference: string, client: EngineClient, signal: AbortSignal | undefined): Promise<Labels> {
    const known = this.#byId.get(reference);
    if (known !== undefined) return known;
    const image = await requireImage(client, reference, signal);
    this.note(image);
    return image.labels;
  }
}
