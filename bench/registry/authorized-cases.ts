import { isDeepStrictEqual } from 'node:util';
import type { BenchCaller } from './callers.ts';
import { PAGE } from './cases.ts';
import { REGISTRY } from './figures.ts';
import { documentAt, randomFrom } from './generate.ts';
import { type Answer, HttpConnection, wireRequest } from './http-connection.ts';
import type { CheckedRequest } from './run-load.ts';
import type { TeamCatalogues, TeamKey } from './team-catalogues.ts';

/** Requests by case, in sending order. */
export type RequestsByCase = Readonly<Record<'first page' | 'one version', readonly CheckedRequest[]>>;

const LIST = `/registry/${REGISTRY}/v0.1/servers`;
/** Number of requests in random order; too many for a cache to learn the order. */
const ORDER_LENGTH = 5000;

/** Returns the path of a version. */
export function versionPath({ name, version }: TeamKey): string {
  return `${LIST}/${encodeURIComponent(name)}/versions/${version}`;
}

/**
 * Prepares the requests of each caller: its first page and a visible version, in random order. Throws if a
 * caller sees too much or too little, or a wrong document. Without callers, prepares as many versions and one
 * page of an unrestricted visitor.
 */
export async function prepareAuthorizedCases(
  url: URL,
  catalogues: TeamCatalogues,
  callers: readonly BenchCaller[] | { readonly anonymous: number },
): Promise<RequestsByCase> {
  const connection = new HttpConnection(url);
  const asker = new CallerAsker(connection, url, catalogues);
  const pages: CheckedRequest[] = [];
  const versions: CheckedRequest[] = [];
  try {
    if ('anonymous' in callers) {
      pages.push(await asker.firstPage(catalogues.keys, {}));
      for (let at = 0; at < callers.anonymous; at += 1)
        versions.push(await asker.version(pickOf(catalogues.keys, at), {}));
    } else {
      for (const [at, { teams, headers }] of callers.entries()) {
        const visible = catalogues.keys.filter(({ team }) => teams.has(team));
        pages.push(await asker.firstPage(visible, headers));
        versions.push(await asker.version(pickOf(visible, at), headers));
        await asker.requireHidden(
          catalogues.keys.find(({ team }) => !teams.has(team)),
          headers,
        );
      }
    }
    return { 'first page': inRandomOrder(pages), 'one version': inRandomOrder(versions) };
  } finally {
    connection.close();
  }
}

function pickOf(keys: readonly TeamKey[], seed: number): TeamKey {
  const key = keys[Math.floor(randomFrom(seed)() * keys.length)];
  if (key === undefined) throw new RangeError('a caller sees nothing');
  return key;
}

function inRandomOrder(requests: readonly CheckedRequest[]): readonly CheckedRequest[] {
  const random = randomFrom(requests.length);
  // SAFETY: the index is below its length.
  return Array.from(
    { length: ORDER_LENGTH },
    () => requests[Math.floor(random() * requests.length)] as CheckedRequest,
  );
}

type Headers = Readonly<Record<string, string>>;

class CallerAsker {
  readonly #connection: HttpConnection;
  readonly #url: URL;
  readonly #catalogues: TeamCatalogues;

  constructor(connection: HttpConnection, url: URL, catalogues: TeamCatalogues) {
    this.#connection = connection;
    this.#url = url;
    this.#catalogues = catalogues;
  }

  async firstPage(visible: readonly TeamKey[], headers: Headers): Promise<CheckedRequest> {
    return this.#checked(`${LIST}?limit=${PAGE}`, headers, (body) => {
      // SAFETY: the next line compares it with the catalogue.
      const { servers } = body as { readonly servers: readonly { readonly server: TeamKey }[] };
      const found = servers.map(({ server }) => `${server.name}@${server.version}`);
      return isDeepStrictEqual(
        found,
        visible.slice(0, PAGE).map(({ name, version }) => `${name}@${version}`),
      );
    });
  }

  async version(key: TeamKey, headers: Headers): Promise<CheckedRequest> {
    const document = documentAt(key.index, this.#catalogues.count);
    return this.#checked(versionPath(key), headers, (body) => {
      // SAFETY: the next line compares it with the catalogue.
      const { server } = body as { readonly server: unknown };
      return isDeepStrictEqual(server, document);
    });
  }

  async requireHidden(key: TeamKey | undefined, headers: Headers): Promise<void> {
    if (key === undefined) return;
    const { status } = await this.#ask(versionPath(key), headers);
    if (status !== 404)
      throw new Error(`${versionPath(key)}: status ${status} for a caller who may not see it`);
  }

  async #checked(
    path: string,
    headers: Headers,
    isRight: (body: unknown) => boolean,
  ): Promise<CheckedRequest> {
    const { status, body } = await this.#ask(path, headers);
    if (status !== 200 || !isRight(JSON.parse(body.toString())))
      throw new Error(
        `${path}: status ${status} with another answer than expected: ${body.toString('utf8', 0, 300)}`,
      );
    return { request: wireRequest(this.#url, path, headers), expected: { status, body } };
  }

  #ask(path: string, headers: Headers): Promise<Answer> {
    return this.#connection.send(wireRequest(this.#url, path, headers));
  }
}
