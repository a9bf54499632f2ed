import type { PluginContext, ReadItem, SkippedEntry, Source } from '@portolan/plugin-api';
import { isPortolanError, type PortolanError } from '@portolan/plugin-api';
import type { ClusterClient } from './cluster/cluster-client.ts';
import { listOffers, type Part } from './cluster/list-offers.ts';
import { BrokenReporter } from './cluster/report-broken.ts';
import { chooseOffers } from './objects/choose-offers.ts';
import type { Offer } from './objects/offer.ts';
import { RESOURCES, type ResourceName } from './objects/resource.ts';
import { Bell } from './watch/bell.ts';
import type { Pauses } from './watch/pauses.ts';
import { ResourceWatch } from './watch/resource-watch.ts';

export interface ClusterSourceOptions {
  /** Namespaces to read. Empty: all namespaces. */
  readonly namespaces: readonly string[];
  readonly resources: readonly ResourceName[];
  readonly labelSelector: string | undefined;
  readonly namePrefix: string;
  /** Opens a client with the current credentials. The caller closes it. */
  readonly open: () => Promise<ClusterClient>;
  readonly context: Pick<PluginContext, 'clock' | 'nowMs' | 'logger'>;
  readonly pauses: Pauses;
}

/**
 * Reads annotated objects of a cluster. Each namespace is a scope: when it cannot be read completely, its
 * entries stay.
 */
export class ClusterSource implements Source {
  readonly #options: ClusterSourceOptions;
  readonly #reporter: BrokenReporter;

  constructor(options: ClusterSourceOptions) {
    this.#options = options;
    this.#reporter = new BrokenReporter(options.context);
  }

  async *readEntries(signal: AbortSignal): AsyncGenerator<ReadItem, void> {
    signal.throwIfAborted();
    const { namespaces, open } = this.#options;
    const client = await open();
    try {
      if (namespaces.length === 0) yield* this.#readAll(client, signal);
      else yield* this.#readEach(client, namespaces, signal);
    } finally {
      await client.close();
    }
  }

  /** Yields when an object changes. A change of only its status does not count. */
  async *watch(signal: AbortSignal): AsyncGenerator<void, void> {
    if (signal.aborted) return;
    const { open, pauses, context, namespaces } = this.#options;
    const bell = new Bell();
    const stop = new AbortController();
    const around = { open, pauses, logger: context.logger, ring: () => bell.ring() };
    const watches = (namespaces.length === 0 ? [undefined] : namespaces)
      .flatMap((namespace) => this.#partsOf(namespace))
      .map((part) => new ResourceWatch(part, around).run(AbortSignal.any([signal, stop.signal])));
    try {
      yield* bell.rings(signal);
    } finally {
      stop.abort();
      await Promise.all(watches);
    }
  }

  async *#readAll(client: ClusterClient, signal: AbortSignal): AsyncGenerator<ReadItem, void> {
    const offers = await this.#offersOf(client, undefined, signal);
    const byNamespace = Map.groupBy(offers, ({ namespace }) => namespace);
    for (const inOne of byNamespace.values()) yield* chooseOffers(inOne);
    const scopes = [...byNamespace.keys()];
    yield { completeScopes: scopes, allScopes: scopes };
  }

  /**
   * Reads each namespace. A namespace without permission keeps its entries; when all are forbidden, the read
   * fails.
   */
  async *#readEach(
    client: ClusterClient,
    namespaces: readonly string[],
    signal: AbortSignal,
  ): AsyncGenerator<ReadItem, void> {
    const complete: string[] = [];
    let refused: PortolanError | undefined;
    for (const namespace of namespaces) {
      const offers = await this.#offersOrRefusal(client, namespace, signal);
      if ('skipped' in offers) {
        refused ??= offers.cause;
        yield offers.skipped;
      } else {
        yield* chooseOffers(offers.offers);
        complete.push(namespace);
      }
    }
    if (complete.length === 0 && refused !== undefined) throw refused;
    yield { completeScopes: complete, allScopes: namespaces };
  }

  async #offersOrRefusal(
    client: ClusterClient,
    namespace: string,
    signal: AbortSignal,
  ): Promise<
    { readonly offers: readonly Offer[] } | { readonly skipped: SkippedEntry; readonly cause: PortolanError }
  > {
    try {
      return { offers: await this.#offersOf(client, namespace, signal) };
    } catch (error) {
      if (!isPortolanError(error) || error.code !== 'ERR_KUBERNETES_FORBIDDEN') throw error;
      const because = `${error.message} Its last good entries are kept.`;
      return { skipped: { skipped: namespace, because, scope: namespace }, cause: error };
    }
  }

  /** Returns the annotated objects of all resources, or none when one cannot be read. */
  async #offersOf(
    client: ClusterClient,
    namespace: string | undefined,
    signal: AbortSignal,
  ): Promise<readonly Offer[]> {
    const results = await Promise.allSettled(
      this.#partsOf(namespace).map((part) => listOffers(client, part, signal)),
    );
    const offers = results.flatMap((one) => {
      if (one.status === 'rejected') throw one.reason;
      return one.value;
    });
    await this.#reporter.report(client, offers, signal);
    return offers;
  }

  #partsOf(namespace: string | undefined): readonly Part[] {
    const { resources, labelSelector, namePrefix } = this.#options;
    return RESOURCES.filter(({ name }) => resources.includes(name)).map((resource) => ({
      resource,
      namespace,
      labelSelector,
      namePrefix,
    }));
  }
}
