import { findParamFault, MirroredTools, isJsonObject, memberOf } from '@portolan/mcp-protocol';

/** Fetches one page of the tool list. Resolves with undefined when the server has no list. */
export type FetchPage = (cursor: string | undefined) => Promise<unknown>;

/** Maximum number of pages, which a server could return without end. */
const MAX_PAGES = 1000;

/**
 * Cache of the tool arguments that clients repeat in headers. Only the proxy can compare the headers with the
 * arguments.
 */
export class ToolHeaders {
  readonly #fetchPage: FetchPage;
  readonly #tools = new MirroredTools();
  #fetching: Promise<void> | undefined;

  constructor(fetchPage: FetchPage) {
    this.#fetchPage = fetchPage;
  }

  learn(result: unknown): void {
    this.#tools.learn(result);
  }

  forget(): void {
    this.#tools.forget();
    // A pending fetch may return the old tools, so its result is ignored.
    this.#fetching = undefined;
  }

  /** Returns undefined when headers and arguments match. Rechecks a mismatch with a fresh tool list. */
  async findFault(
    name: string,
    text: string,
    headerOf: (name: string) => string | undefined,
  ): Promise<string | undefined> {
    const known = this.#tools.paramsOf(name);
    if (known !== undefined) {
      if (findParamFault(known, text, headerOf) === undefined) return undefined;
      this.forget();
    }
    await this.#fetch();
    return findParamFault(this.#tools.paramsOf(name) ?? [], text, headerOf);
  }

  async #fetch(): Promise<void> {
    const fetching = this.#fetching ?? this.#fetchAll();
    this.#fetching = fetching;
    try {
      await fetching;
    } finally {
      if (this.#fetching === fetching) this.#fetching = undefined;
    }
  }

  async #fetchAll(): Promise<void> {
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const result = await this.#fetchPage(cursor);
      this.learn(result);
      const next = isJsonObject(result) ? memberOf(result, 'nextCursor') : undefined;
      if (typeof next !== 'string') return;
      cursor = next;
    }
  }
}
