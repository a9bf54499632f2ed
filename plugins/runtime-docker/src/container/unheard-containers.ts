import type { ContainerDescription, ContainerSpec, Labels } from '@portolan/plugin-api';
import type { EngineClient } from '../engine/engine-client.ts';
import { inspectContainer, removeContainer } from './container-calls.ts';

/** An engine that has the request makes the container within this time, or not at all. */
const MADE_WITHIN_MS = 30_000;

interface RemovalOptions {
  readonly podman: boolean;
  readonly signal: AbortSignal | undefined;
}

interface Unheard {
  readonly labels: Labels;
  /** By the monotonic clock, in milliseconds. */
  readonly askedAt: number;
}

/**
 * Containers that an engine was asked to make when the connection to it broke: it may have made them, and nobody
 * knows their ids. Each would keep its name from the next one of that name.
 */
export class UnheardContainers {
  readonly #byName = new Map<string, Unheard>();

  /**
   * Makes a container after those that nobody heard of were removed, and remembers its name where nobody hears of it
   * either. Throws what `make` does, and what the engine says to an earlier one of that name.
   */
  async before<Made>(
    { name, labels }: ContainerSpec,
    client: EngineClient,
    options: RemovalOptions,
    make: () => Promise<Made>,
  ): Promise<Made> {
    for (const [other, unheard] of this.#byName) {
      const removing = this.#remove(other, unheard, client, options);
      // What stands in nobody's way is looked for again with the next one.
      await (other === name ? removing : removing.catch(() => undefined));
    }
    const earlier = this.#byName.get(name);
    this.#byName.delete(name); // from now on it is the name of another one
    try {
      return await make();
    } catch (error) {
      const isUnheard = Object(error).code === 'ERR_RUNTIME_UNREACHABLE';
      const known = isUnheard ? { labels, askedAt: performance.now() } : earlier;
      if (known !== undefined) this.#byName.set(name, known);
      throw error;
    }
  }

  async #remove(
    name: string,
    unheard: Unheard,
    client: EngineClient,
    { podman, signal }: RemovalOptions,
  ): Promise<void> {
    const found = await inspectContainer(client, name, signal);
    // Meanwhile the name may have become that of another one.
    if (this.#byName.get(name) !== unheard) return;
    if (found !== undefined && isOfRequest(found, unheard))
      await removeContainer(client, found.id, { podman, signal });
    const isLate = performance.now() - unheard.askedAt > MADE_WITHIN_MS;
    if ((found !== undefined || isLate) && this.#byName.get(name) === unheard) this.#byName.delete(name);
  }
}

/** Nobody has started it, and nobody else's has these labels. */
function isOfRequest({ state, labels }: ContainerDescription, unheard: Unheard): boolean {
  const wanted = Object.entries(unheard.labels);
  return (
    state.status === 'created' && wanted.length > 0 && wanted.every(([name, value]) => labels[name] === value)
  );
}
