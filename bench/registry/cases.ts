import { isDeepStrictEqual } from 'node:util';
import { type CatalogueFacts, COMMON_WORD, documentAt, type EntryKey, RARE_WORD } from './generate.ts';
import { type Answer, HttpConnection, wireRequest } from './http-connection.ts';
import type { CheckedRequest } from './run-load.ts';

export const PAGE = 30;
/** Start of the deep page as a share of all rows. */
const DEPTH = 0.9;
const LARGEST_PAGE = 1000;

export const CASES = [
  'first page',
  'deep page',
  'one version',
  'versions/latest',
  'search, rare word',
  'search, common word',
  'version=latest',
] as const;
export type CaseName = (typeof CASES)[number];

/** Path with its response, which was checked against the catalogue. */
export interface Case {
  readonly name: CaseName | typeof SCATTERED;
  readonly path: string;
  readonly body: Buffer;
  readonly etag: string;
}

/** Case name: many different pages from the whole list. */
export const SCATTERED = 'scattered pages';

/** Returns the case as a request to a server with the same data. */
export function requestOf({ path, body }: Case, url: URL): CheckedRequest {
  return { request: wireRequest(url, path), expected: { status: 200, body } };
}

/** Returns the case as a conditional request with a matching entity tag. */
export function revalidationOf({ path, etag }: Case, url: URL): CheckedRequest {
  const request = wireRequest(url, path, { 'If-None-Match': etag });
  return { request, expected: { status: 304, body: Buffer.alloc(0) } };
}

interface Listed {
  readonly server: EntryKey;
}

interface Page {
  readonly servers: readonly Listed[];
  readonly metadata: { readonly count: number; readonly nextCursor?: string };
}

export interface Cases {
  /** One case per name, in order. */
  readonly single: readonly Case[];
  readonly scattered: readonly Case[];
}

/** Prepares the measured requests. Throws when a response differs from the catalogue. */
export async function prepareCases(url: URL, registry: string, facts: CatalogueFacts): Promise<Cases> {
  const connection = new HttpConnection(url);
  try {
    const asker = new Asker(connection, url, `/registry/${registry}/v0.1/servers`);
    const walked = await asker.walk(facts.keys);
    const deep = walked.findLast(({ at }) => at <= facts.count * DEPTH);
    const middle = singleVersion(facts);
    for (const [search, count] of facts.holding) await asker.expectCount(search, count);
    const name = encodeURIComponent(middle.name);
    const single = [
      await asker.page('first page', '', facts.keys),
      await asker.page('deep page', `&cursor=${deep?.cursor}`, facts.keys.slice(deep?.at)),
      await asker.version('one version', `/${name}/versions/${middle.version}`, middle.index, facts),
      await asker.version('versions/latest', `/${name}/versions/latest`, middle.index, facts),
      await asker.search('search, rare word', RARE_WORD, facts),
      await asker.search('search, common word', COMMON_WORD, facts),
      await asker.page('version=latest', '&version=latest', facts.latest),
    ];
    const scattered = [];
    for (const { cursor, at } of walked) {
      scattered.push(await asker.page(SCATTERED, `&cursor=${cursor}`, facts.keys.slice(at)));
    }
    return { single, scattered };
  } finally {
    connection.close();
  }
}

/** Returns a name in the middle of the order that has only one version. */
function singleVersion({ keys }: CatalogueFacts): CatalogueFacts['keys'][number] {
  const middle = Math.floor(keys.length / 2);
  const found = keys.find(
    ({ name }, at) => at > middle && keys[at - 1]?.name !== name && keys[at + 1]?.name !== name,
  );
  if (found === undefined) throw new RangeError('the catalogue is too small');
  return found;
}

class Asker {
  readonly #connection: HttpConnection;
  readonly #url: URL;
  readonly #prefix: string;

  constructor(connection: HttpConnection, url: URL, prefix: string) {
    this.#connection = connection;
    this.#url = url;
    this.#prefix = prefix;
  }

  /** Follows the pages to the end, and returns each cursor with its first row. */
  async walk(
    keys: readonly EntryKey[],
  ): Promise<readonly { readonly cursor: string; readonly at: number }[]> {
    const cursors: { cursor: string; at: number }[] = [];
    let at = 0;
    for await (const { servers, metadata } of this.#pages('')) {
      this.#expectRows(servers, keys.slice(at, at + LARGEST_PAGE));
      at += servers.length;
      if (metadata.nextCursor !== undefined) cursors.push({ cursor: metadata.nextCursor, at });
    }
    if (at !== keys.length) throw new Error(`found ${at} entries; expected ${keys.length}`);
    return cursors;
  }

  /** Counts the matches of a search page by page, and throws if the number is wrong. */
  async expectCount(search: string, expected: number): Promise<void> {
    let count = 0;
    for await (const { servers } of this.#pages(`&search=${encodeURIComponent(search)}`))
      count += servers.length;
    if (count !== expected)
      throw new Error(`a search for "${search}" finds ${count} entries; expected ${expected}`);
  }

  async page(name: Case['name'], filters: string, keys: readonly EntryKey[]): Promise<Case> {
    const query = `?limit=${PAGE}${filters}`;
    const { page, answer } = await this.#list(query);
    this.#expectRows(page.servers, keys.slice(0, PAGE));
    return this.#caseOf(name, query, answer);
  }

  async search(name: CaseName, word: string, facts: CatalogueFacts): Promise<Case> {
    const query = `?limit=${PAGE}&search=${word}`;
    const { page, answer } = await this.#list(query);
    const holders = facts.keys.filter(({ index }) => {
      const { title, description } = documentAt(index, facts.count);
      return `${title}\n${description}`.toLowerCase().includes(word);
    });
    this.#expectRows(page.servers, holders.slice(0, PAGE));
    return this.#caseOf(name, query, answer);
  }

  async version(name: CaseName, path: string, index: number, facts: CatalogueFacts): Promise<Case> {
    const answer = await this.#get(path);
    // SAFETY: the next line compares it with the expected value.
    const { server } = JSON.parse(answer.body.toString()) as Listed;
    if (!isDeepStrictEqual(server, documentAt(index, facts.count)))
      throw new Error(`${path} is another document`);
    return this.#caseOf(name, path, answer);
  }

  async *#pages(filters: string): AsyncGenerator<Page> {
    for (let from: string | undefined = ''; from !== undefined; ) {
      const { page } = await this.#list(`?limit=${LARGEST_PAGE}${filters}${from}`);
      yield page;
      const { nextCursor } = page.metadata;
      from = nextCursor === undefined ? undefined : `&cursor=${nextCursor}`;
    }
  }

  async #list(query: string): Promise<{ readonly page: Page; readonly answer: Answer }> {
    const answer = await this.#get(query);
    // SAFETY: the used part is compared with the catalogue.
    return { answer, page: JSON.parse(answer.body.toString()) as Page };
  }

  async #get(rest: string): Promise<Answer> {
    const answer = await this.#connection.send(wireRequest(this.#url, this.#prefix + rest));
    if (answer.status !== 200) throw new Error(`${rest}: status ${answer.status}: ${answer.body.toString()}`);
    return answer;
  }

  #expectRows(servers: readonly Listed[], keys: readonly EntryKey[]): void {
    const found = servers.map(({ server }) => `${server.name}@${server.version}`);
    const expected = keys.map(({ name, version }) => `${name}@${version}`);
    if (isDeepStrictEqual(found, expected)) return;
    throw new Error(
      `a page has ${found.length} rows from ${found[0]}; expected ${expected.length} from ${expected[0]}`,
    );
  }

  #caseOf(name: Case['name'], rest: string, { body, headers }: Answer): Case {
    return { name, path: this.#prefix + rest, body, etag: headers.get('etag') ?? '' };
  }
}
