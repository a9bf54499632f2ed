import type { ImageDescription, Labels } from '@portolan/plugin-api';
import type { EngineClient } from '../engine/engine-client.ts';
import { requireImage } from './image-calls.ts';

/** A workload has two images: its own and its gateway's. */
const MOST = 8;

/** The id hashes the labels, so they never change; a reference may move to another image. */
export class ImageLabels {
  readonly #byId = new Map<string, Labels>();

  note({ id, labels }: Pick<ImageDescription, 'id' | 'labels'>): void {
    this.#byId.set(id, labels);
    const [oldest] = this.#byId.keys();
    if (this.#byId.size > MOST && oldest !== undefined) this.#byId.delete(oldest);
  }

  /** Throws ERR_IMAGE_NOT_FOUND. */
  async of(reference: string, client: EngineClient, signal: AbortSignal | undefined): Promise<Labels> {
    const known = this.#byId.get(reference);
    if (known !== undefined) return known;
    const image = await requireImage(client, reference, signal);
    this.note(image);
    return image.labels;
  }
}
