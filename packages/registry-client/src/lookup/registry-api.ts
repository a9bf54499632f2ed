import { memberOf, readJson } from '@portolan/run-spec';
import type { RegistryAccess } from '../connection/registry-access.ts';
import {
  registryAnswerTooLarge,
  registryAnswerUnusable,
  registryFailed,
  registryTimedOut,
  registryUnauthorized,
} from './lookup-errors.ts';
import { apiAddress } from './registry-address.ts';
import { PAGE_LIMITS, type RegistryConnection, type RegistryReply } from './registry-connection.ts';
import { nameOfServer, type RegistryServer, serverOfResponse } from './registry-server.ts';

const MAX_SERVERS = 10_000;
const PAGE = '100';
const LIST_MS = 60_000;

/** Client of a registry API (`/v0.1`, MCP registry protocol). */
export class RegistryApi {
  readonly #connection: RegistryConnection;
  readonly #base: URL;

  constructor(connection: RegistryConnection, base: URL) {
    this.#connection = connection;
    this.#base = base;
  }

  /**
   * Returns all servers, or those that a search finds, without withdrawn ones, within a minute. Throws
   * connection errors, ERR_LOOKUP_STATUS, ERR_LOOKUP_UNAUTHORIZED, ERR_REGISTRY_RESPONSE, and
   * ERR_LOOKUP_TOO_LARGE above 10,000 servers.
   */
  async list(search?: string, signal?: AbortSignal): Promise<readonly RegistryServer[]> {
    const servers = new Map<string, RegistryServer>();
    const seen = new Set<string>();
    const ends = performance.now() + LIST_MS;
    let cursor: string | undefined;
    do {
      if (performance.now() > ends) throw registryTimedOut(shown(this.#base), LIST_MS / 1000);
      const url = apiAddress(this.#base, 'servers', { search, limit: PAGE, version: 'latest', cursor });
      const page = readPage(url, await this.#ask(url, signal));
      // Registries that do not support `version=latest` list the newest version first.
      for (const server of page.servers) {
        const name = nameOfServer(server);
        if (!servers.has(name) && server.status !== 'deleted') servers.set(name, server);
      }
      if (servers.size > MAX_SERVERS) throw registryAnswerTooLarge(shown(url), `${MAX_SERVERS} servers`);
      cursor = page.cursor;
      if (cursor !== undefined && seen.has(cursor)) {
        throw registryAnswerUnusable(shown(url), 'its pages lead back to one that was read already');
      }
      seen.add(cursor ?? '');
    } while (cursor !== undefined);
    return [...servers.values()];
  }

  /**
   * Returns the newest version of a server, from the list if the registry has no address for it. Throws as
   * `list` does.
   */
  async find(name: string, signal?: AbortSignal): Promise<RegistryServer | undefined> {
    const url = apiAddress(this.#base, `servers/${encodeURIComponent(name)}/versions/latest`, {});
    const reply = await this.#connection.get(url, PAGE_LIMITS, signal);
    if (reply.status === 404) {
      // Any server may respond with 404, and a list in static files has no addresses of single servers.
      return (await this.list(name, signal)).find((server) => nameOfServer(server) === name);
    }
    const server = serverOfResponse(readReply(url, this.#accept(url, reply)));
    if (server === undefined || nameOfServer(server) !== name) {
      throw registryAnswerUnusable(shown(url), `there is no server named "${name}" in it`);
    }
    return server.status === 'deleted' ? undefined : server;
  }

  async #ask(url: URL, signal: AbortSignal | undefined): Promise<RegistryReply> {
    return this.#accept(url, await this.#connection.get(url, PAGE_LIMITS, signal));
  }

  #accept(url: URL, reply: RegistryReply): RegistryReply {
    checkStatus(url, reply, this.#connection.access);
    return reply;
  }
}

/**
 * Throws unless the response is successful: ERR_LOOKUP_UNAUTHORIZED for 401 and 403, and ERR_LOOKUP_STATUS
 * for any other failure.
 */
export function checkStatus(
  url: URL,
  { status }: RegistryReply,
  access: Pick<RegistryAccess, 'from' | 'expiresAt'>,
): void {
  if (status === 401 || status === 403) throw registryUnauthorized(shown(url), status, access);
  if (status < 200 || status > 299) throw registryFailed(shown(url), status);
}

export function isServerPage(reply: RegistryReply): boolean {
  const reading = readJson(reply.body.toString('utf8'));
  if ('fault' in reading) return false;
  const metadata = memberOf(reading.value, 'metadata');
  return (
    Array.isArray(memberOf(reading.value, 'servers')) && typeof metadata === 'object' && metadata !== null
  );
}

function readPage(
  url: URL,
  reply: RegistryReply,
): { readonly servers: readonly RegistryServer[]; readonly cursor: string | undefined } {
  const value = readReply(url, reply);
  const servers = memberOf(value, 'servers');
  if (!Array.isArray(servers)) throw registryAnswerUnusable(shown(url), 'there is no list `servers` in it');
  const cursor = memberOf(memberOf(value, 'metadata'), 'nextCursor');
  return {
    // A malformed item does not invalidate the others.
    servers: servers.flatMap((server) => serverOfResponse(server) ?? []),
    cursor: typeof cursor === 'string' && cursor !== '' ? cursor : undefined,
  };
}

function readReply(url: URL, { body, contentType }: RegistryReply): unknown {
  const reading = readJson(body.toString('utf8'));
  if ('value' in reading) return reading.value;
  throw registryAnswerUnusable(shown(url), contentType === '' ? 'it is no JSON' : `${contentType}, no JSON`);
}

function shown(url: URL): string {
  return `${url.origin}${url.pathname}`;
}
