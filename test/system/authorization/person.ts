import { setTimeout as delay } from 'node:timers/promises';
import {
  type Answer,
  extensionDocument,
  type Json,
  type RegistryUnderTest,
  serverDocument,
} from '../../support/registry-under-test.ts';

type Headers = Readonly<Record<string, string>>;

export interface Publishing {
  readonly version?: string;
  /** Managed source. The default is `published`. */
  readonly source?: string;
  /** Further fields of the document. */
  readonly document?: Json;
}

let count = 0;

/**
 * Returns a new name for a source or a registry. It is so long that no random id in a response contains it.
 */
export function newLabel(): string {
  count += 1;
  return `label-${count}`;
}

/** Returns a name that no entry has. */
export function newName(): string {
  return `com.acme/${newLabel()}`;
}

/** Returns the path of an entry in the admin API. */
export function entryPath(name: string, type = 'server'): string {
  return `/v1/entries/${type}/${encodeURIComponent(name)}`;
}

/** Returns the path of a version of a server in a registry. */
export function readPath(name: string, version = 'latest', registry = 'main'): string {
  return `/registry/${registry}/v0.1/servers/${encodeURIComponent(name)}/versions/${version}`;
}

/** A caller that sends requests, with a token if there is one. */
export class Person {
  readonly #server: RegistryUnderTest;
  readonly #token: string | undefined;

  constructor(server: RegistryUnderTest, claims: Json | undefined) {
    this.#server = server;
    this.#token = claims === undefined ? undefined : server.token(claims);
  }

  async send(method: string, path: string, body?: unknown, headers: Headers = {}): Promise<Answer> {
    return await this.#server.send(method, path, { token: this.#token, body, headers });
  }

  async get(path: string): Promise<Answer> {
    return await this.send('GET', path);
  }

  /** Returns the status of a request. */
  async asks(method: string, path: string, body?: unknown, headers?: Headers): Promise<number> {
    return (await this.send(method, path, body, headers)).status;
  }

  /** Sends a request that has to succeed. Throws with the response if it fails. */
  async must(method: string, path: string, body?: unknown, headers?: Headers): Promise<Answer> {
    const answer = await this.send(method, path, body, headers);
    if (answer.status >= 300)
      throw new Error(`${method} ${path} is answered with ${answer.status}: ${answer.text}`);
    return answer;
  }

  /** Publishes a version of a server. Undefined claims are left out of the body. */
  async publish(name: string, claims: unknown, publishing: Publishing = {}): Promise<Answer> {
    const { version, source = 'published', document } = publishing;
    return await this.send('POST', `/v1/entries?source=${source}`, {
      server: serverDocument(name, version, document),
      claims,
    });
  }

  /** Publishes a new server with these claims and returns its name. */
  async published(claims: unknown, publishing?: Publishing): Promise<string> {
    const name = newName();
    const answer = await this.publish(name, claims, publishing);
    if (answer.status !== 201)
      throw new Error(`publishing is answered with ${answer.status}: ${answer.text}`);
    return name;
  }

  /** Publishes a server, removes its claims and returns its name. */
  async unlabelled(): Promise<string> {
    const name = await this.published({ org: 'acme' });
    await this.must('PUT', `${entryPath(name)}/claims`, { claims: {} });
    return name;
  }

  /** Publishes a new skill or plugin with these claims and returns its full name. */
  async publishedExtension(type: 'skill' | 'plugin', claims: Json): Promise<string> {
    const name = newLabel();
    await this.must('POST', '/v1/entries?source=published', {
      [type]: extensionDocument('com.acme', name),
      claims,
    });
    return `com.acme/${name}`;
  }

  /** Returns the names of all servers in a registry, from all pages. */
  async listed(registry = 'main', limit = 100): Promise<readonly string[]> {
    return (await this.pages(registry, limit)).flat();
  }

  /** Returns the same names, one list for each page. */
  async pages(registry: string, limit: number): Promise<readonly (readonly string[])[]> {
    const pages: (readonly string[])[] = [];
    let cursor: string | undefined;
    do {
      const more = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const answer = await this.must(
        'GET',
        `/registry/${registry}/v0.1/servers?version=latest&limit=${limit}${more}`,
      );
      const { servers, metadata } = answer.json<ServerPage>();
      pages.push(servers.map(({ server }) => server.name));
      cursor = metadata.nextCursor;
    } while (cursor !== undefined);
    return pages;
  }

  /** Returns the names of the sources or registries that the admin API lists. */
  async administers(what: 'sources' | 'registries'): Promise<readonly string[]> {
    const answer = await this.must('GET', `/v1/${what}`);
    return (answer.json<Record<string, readonly { readonly name: string }[]>>()[what] ?? []).map(
      ({ name }) => name,
    );
  }

  /** Returns the raw entries of a source or registry in the admin API. */
  async rawEntries(path: string): Promise<readonly RawEntry[]> {
    return (await this.must('GET', `${path}/entries`)).json<{ entries: readonly RawEntry[] }>().entries;
  }

  async roles(): Promise<readonly string[]> {
    return (await this.must('GET', '/v1/me')).json<{ roles: readonly string[] }>().roles;
  }

  /** Waits until a registry lists a server of a synced source. */
  async awaits(name: string, registry = 'main'): Promise<void> {
    for (const deadline = Date.now() + 40_000; Date.now() < deadline; await delay(20))
      if ((await this.listed(registry)).includes(name)) return;
    const log = this.#server.process.log.filter(({ level }) => level !== 'info');
    throw new Error(`${name} is not there after 40 s; the log: ${JSON.stringify(log)}`);
  }
}

interface ServerPage {
  readonly servers: readonly { readonly server: { readonly name: string } }[];
  readonly metadata: { readonly nextCursor?: string };
}

/** A row of the admin lists, with the fields that both lists have. */
export interface RawEntry {
  readonly entryType: string;
  readonly name: string;
  readonly claims?: Json;
  readonly sourceName?: string;
  readonly version?: string;
  readonly versions?: readonly { readonly version: string }[];
}
