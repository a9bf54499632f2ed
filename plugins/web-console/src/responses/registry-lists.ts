import type { View } from '../layout/view.ts';
import { listPath } from './entry-addresses.ts';
import {
  type Reading,
  type EntryIndex,
  type FirstEntries,
  type Refused,
  type TaggedList,
  wholeOf,
} from './read-list.ts';
import { ENTRY_TYPES, type EntryType } from './entry.ts';
import type { KnownTogether, TogetherTags } from './known-together.ts';

/** Cache of lists that all visitors share. */
export interface SharedLists {
  readonly together: KnownTogether;
  /** Returns the list from memory, or begins to read it. */
  reading(view: Pick<View, 'api'>, list: TaggedList): Reading;
}

/** Lists of one registry for one visitor and one page. Requests each type from the API at most once. */
export class RegistryLists {
  readonly #indexes: SharedLists;
  readonly #view: Pick<View, 'api'>;
  readonly #registry: string;
  readonly #first: EntryType;
  readonly #lists = new Map<EntryType, Promise<TaggedList | Refused>>();
  #isLearning = false;

  constructor(indexes: SharedLists, view: Pick<View, 'api'>, registry: string, first: EntryType) {
    this.#indexes = indexes;
    this.#view = view;
    this.#registry = registry;
    this.#first = first;
  }

  async find(type: EntryType): Promise<EntryIndex | Refused> {
    const started = await this.#begin(type);
    if ('refused' in started) return started;
    started.hurry();
    return await started.whole;
  }

  /**
   * Returns a list that is cached, or short and read within `withinMs`; of a long list, its first entries.
   * Undefined after the timeout, or if another visitor is reading the list. The read continues for later
   * callers.
   */
  async findSoon(
    type: EntryType,
    withinMs: number,
  ): Promise<EntryIndex | FirstEntries | Refused | undefined> {
    const { promise: late, resolve: giveUp } = Promise.withResolvers<undefined>();
    const timer = setTimeout(giveUp, withinMs, undefined);
    const soon = async (): Promise<EntryIndex | FirstEntries | Refused | undefined> => {
      const started = await this.#begin(type);
      return 'refused' in started ? started : await Promise.race([started.whole, started.long]);
    };
    const request = soon();
    // Ignores a failure, because this caller gave up. The next caller gets the failure again.
    request.catch(() => undefined);
    try {
      return await Promise.race([request, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #begin(type: EntryType): Promise<Reading | Refused> {
    const list = await this.#list(type);
    return 'refused' in list ? list : this.#indexes.reading(this.#view, list);
  }

  #list(type: EntryType): Promise<TaggedList | Refused> {
    const known = this.#lists.get(type) ?? (type === this.#first ? this.#ask(type) : this.#other(type));
    this.#lists.set(type, known);
    return known;
  }

  async #other(type: EntryType): Promise<TaggedList | Refused> {
    const first = await this.#list(this.#first);
    const together = 'refused' in first ? undefined : this.#indexes.together.find(first);
    if (together !== undefined) return together[type];
    if (this.#lists.size === ENTRY_TYPES.length && !this.#isLearning) {
      this.#isLearning = true;
      // Ignores a failure here, because the next caller gets it again.
      this.#learn().catch(() => undefined);
    }
    return await this.#ask(type);
  }

  /**
   * Records the tags of all types as one state, if the first tag is still the same after the others were
   * read.
   */
  async #learn(): Promise<void> {
    const lists = await Promise.all(ENTRY_TYPES.map((type) => this.#list(type)));
    const tagged = lists.flatMap((list) => ('refused' in list || list.etag === undefined ? [] : [list]));
    const first = tagged.find(({ type }) => type === this.#first);
    if (first === undefined || tagged.length < lists.length) return;
    const again = await this.#ask(this.#first);
    if ('refused' in again || again.etag !== first.etag) return;
    // SAFETY: the list has one element for each entry type, in the order of `ENTRY_TYPES`.
    const together = Object.fromEntries(tagged.map((list) => [list.type, list])) as TogetherTags;
    for (const list of tagged) this.#indexes.together.add(list, together);
  }

  async #ask(type: EntryType): Promise<TaggedList | Refused> {
    const path = listPath(this.#registry, type);
    const response = await this.#view.api({ path, query: { version: 'latest', limit: '1' } });
    if (response.status !== 200) return { refused: response };
    const covers = response.headers['portolan-tag-covers'] === 'list';
    const whole = wholeOf(type, response);
    return { type, path, etag: covers ? response.headers['etag'] : undefined, ...(whole && { whole }) };
  }
}
