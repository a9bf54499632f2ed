import { findParamFault, MirroredTools, isJsonObject, memberOf } from '@portolan/mcp-protocol';

/**
 * Fetches a page of `tools/list` on the proxy's own behalf. Resolves with undefined when the server has no
 * list.
 */
export type FetchPage = (cursor: string | undefined) => Promise<unknown>;

/** Maximum number of pages, since a server could return pages without end. */
const MAX_PAGES = 1000;

/**
 * Cache of which tool arguments clients repeat in headers. Only the proxy can compare both: the server never
 * sees the headers.
 */
export class ToolHeaders {
  readonly #fetchPage: FetchPage;
  readonly #tools = new MirroredTools();
  #fetching: Promise<void> | undefined;

  constructor(fetchPage: FetchPage) {
    this.#fetchPage = fetchPage;
  }

  /** Records the tools in a `tools/list` result, whether a client or the proxy requested it. */
  learn(result: unknown): void {
    this.#tools.learn(result);
  }

  /** Clears the cache, after which the next call fetches the tools again. */
  forget(): void {
    this.#tools.forget();
    // A pending fetch may return the old tools.
    this.#fetching = undefined;
  }

  /**
   * Returns the mismatch between the headers and the arguments of a tool call. Undefined when they match. A
   * mismatch is checked again with a fresh tool list.
   */
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
