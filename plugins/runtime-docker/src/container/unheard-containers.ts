import type { ContainerDescription, ContainerSpec, Labels } from '@portolan/plugin-api';
import type { EngineClient } from '../engine/engine-client.ts';
import { inspectContainer, removeContainer } from './container-calls.ts';

/** An engine that has the request makes the container within this time, or not at all. */
const MADE_WITHIN_MS = 30_000;

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
   * either. Throws what `make` does, and what the engine says to the others, which are then looked for again.
   */
  async before<Made>(
    { name, labels }: ContainerSpec,
    client: EngineClient,
    { podman, signal }: { readonly podman: boolean; readonly signal: AbortSignal | undefined },
    make: () => Promise<Made>,
  ): Promise<Made> {
    for (const [other, unheard] of this.#byName) {
      const found = await inspectContainer(client, other, signal);
      if (found !== undefined && isOfRequest(found, unheard))
        await removeContainer(client, found.id, { podman, signal });
      const isLate = performance.now() - unheard.askedAt > MADE_WITHIN_MS;
      if (found !== undefined || isLate) this.#byName.delete(other);
    }
    const earlier = this.#byName.get(name);
    this.#byName.delete(name); // from now on it is the name of another one
    try {
      return await make();
    } catch (error) {
      const code: unknown = Object(error).code;
      if (code === 'ERR_RUNTIME_UNREACHABLE') this.#byName.set(name, { labels, askedAt: performance.now() });
      if (code === 'ERR_CONTAINER_NAME_TAKEN' && earlier !== undefined) this.#byName.set(name, earlier);
      throw error;
    }
  }
}

/** Nobody has started it, and nobody else's has these labels. */
function isOfRequest({ state, labels }: ContainerDescription, unheard: Unheard): boolean {
  const wanted = Object.entries(unheard.labels);
  return (
    state.status === 'created' && wanted.length > 0 && wanted.every(([name, value]) => labels[name] === value)
  );
}
