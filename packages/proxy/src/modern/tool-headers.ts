import { findParamFault, MirroredTools, isJsonObject, memberOf } from '@portolan/mcp-protocol';

/** A page of `tools/list` in the proxy's own name; undefined when the server has no list. */
export type FetchPage = (cursor: string | undefined) => Promise<unknown>;

/** More than any list of tools has; a server could go on for ever. */
const MAX_PAGES = 1000;

/**
 * Which arguments of which tool are repeated in headers. The proxy is the only
 * one who sees both, so that nobody else can compare them.
 */
export class ToolHeaders {
  readonly #fetchPage: FetchPage;
  readonly #tools = new MirroredTools();
  #fetching: Promise<void> | undefined;

  constructor(fetchPage: FetchPage) {
    this.#fetchPage = fetchPage;
  }

  /** Takes what a list of tools says, whoever asked for it. */
  learn(result: unknown): void {
    this.#tools.learn(result);
  }

  /** The tools have changed: the next call asks for them again. */
  forget(): void {
    this.#tools.forget();
    // What is on its way may be of before.
    this.#fetching = undefined;
  }

  /**
   * What is wrong with the headers of a call of this tool; undefined when nothing is.
   * A fault by what was known before counts only when the server says the same now.
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
