import type { ContainerDescription, ContainerSpec, Labels } from '@portolan/plugin-api';
import type { EngineClient } from '../engine/engine-client.ts';
import { inspectContainer, removeContainer } from './container-calls.ts';

/** Maximum time in milliseconds between a request and the creation of the container. */
const MADE_WITHIN_MS = 30_000;

interface RemovalOptions {
  readonly podman: boolean;
  readonly signal: AbortSignal | undefined;
}

interface Unheard {
  readonly labels: Labels;
  readonly askedAt: number;
}

/**
 * Containers whose creation response was lost. The engine may have created them, and then each blocks its
 * name for the next container.
 */
export class UnheardContainers {
  readonly #byName = new Map<string, Unheard>();

  /**
   * Creates a container after it has removed earlier ones whose responses were lost. If this response is lost
   * too, it records the name. Throws the errors of `make`, and errors of removing an earlier container of the
   * same name.
   */
  async before<Made>(
    { name, labels }: ContainerSpec,
    client: EngineClient,
    options: RemovalOptions,
    make: () => Promise<Made>,
  ): Promise<Made> {
    for (const [other, unheard] of this.#byName) {
      const removing = this.#remove(other, unheard, client, options);
      // Only a failed removal for the same name matters now. Other removals are retried with the next
      // creation.
      await (other === name ? removing : removing.catch(() => undefined));
    }
    const earlier = this.#byName.get(name);
    this.#byName.delete(name); // a new container may use the name after this
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
    const container = await inspectContainer(client, name, signal);
    // A later call may have recorded another container for this name.
    if (this.#byName.get(name) !== unheard) return;
    if (container !== undefined && isOfRequest(container, unheard))
      await removeContainer(client, container.id, { podman, signal });
    const isLate = performance.now() - unheard.askedAt > MADE_WITHIN_MS;
    if ((container !== undefined || isLate) && this.#byName.get(name) === unheard) this.#byName.delete(name);
  }
}

/**
 * Returns whether a container was created by the request with the lost response: it has the labels of the
 * request and never started.
 */
function isOfRequest({ state, labels }: ContainerDescription, unheard: Unheard): boolean {
  const requested = Object.entries(unheard.labels);
  return (
    state.status === 'created' &&
    requested.length > 0 &&
    requested.every(([name, value]) => labels[name] === value)
  );
}
