import { isPortolanError } from '@portolan/plugin-api';
import { memberOf, readJson } from '@portolan/run-spec';
import { localPathOf } from './active-registry.ts';
import type { LookupContext } from './lookup-context.ts';
import { registryAddressUnusable } from './lookup-errors.ts';
import { readRegistryFile } from './open-registry.ts';
import { readCatalogueServers } from './read-catalogue-servers.ts';
import { type AddressRules, apiAddress, apiBaseOf, parseRegistryUrl } from './registry-address.ts';
import { isServerPage } from './registry-api.ts';
import { FILE_LIMITS, RegistryConnection, type RegistryReply } from './registry-connection.ts';
import { findRegistryAccess, type AccessLocation } from './registry-token.ts';

export interface ClassifiedRegistry {
  readonly kind: 'api' | 'url' | 'file';
  readonly value: string;
}

export interface ClassifyOptions extends AddressRules {
  readonly signal?: AbortSignal;
}

const PROBE_LIMITS = { timeoutMs: 5000, bytes: 10 * 1024 * 1024 };

/**
 * Determines the kind of registry: a local file (a path, or `file:`), a catalogue (`.json`), a registry API
 * that responds (also with 401 or 403), or else a catalogue. Throws ERR_NAMED_FILE, ERR_LOOKUP_ADDRESS, and
 * connection errors.
 */
export async function classifyRegistry(
  text: string,
  { signal, ...rules }: ClassifyOptions,
  context: AccessLocation & Pick<LookupContext, 'openFetch' | 'version'>,
): Promise<ClassifiedRegistry> {
  if (!/^https?:/i.test(text)) {
    if (/^(?!file:)[a-z][a-z0-9+.-]*:\/\//i.test(text)) parseRegistryUrl(text, rules);
    const file = localPathOf(text, context.workingDirectory);
    await readRegistryFile(file, signal);
    return { kind: 'file', value: file };
  }
  const url = parseRegistryUrl(text, rules);
  if (/\.json$/i.test(url.pathname)) return { kind: 'url', value: url.href };
  const connection = new RegistryConnection(context, {
    ...rules,
    access: await findRegistryAccess(url, context),
  });
  try {
    return await askWhich(url, connection, signal);
  } finally {
    await connection.close();
  }
}

async function askWhich(
  url: URL,
  connection: RegistryConnection,
  signal: AbortSignal | undefined,
): Promise<ClassifiedRegistry> {
  const base = apiBaseOf(url);
  const probe = apiAddress(base, 'servers', { limit: '1', version: 'latest' });
  const reply = await connection.get(probe, PROBE_LIMITS, signal);
  const isProtected = reply.status === 401 || reply.status === 403;
  if (isProtected || (reply.status >= 200 && reply.status < 300 && isServerPage(reply))) {
    return { kind: 'api', value: base.href.replace(/\/$/, '') };
  }
  if (await isCatalogue(await connection.get(url, FILE_LIMITS, signal)))
    return { kind: 'url', value: url.href };
  const shown = `${url.origin}${url.pathname}`;
  const registries = await registriesAt(base, connection, signal);
  const hint =
    registries.length === 0
      ? 'Name what stands before /v0.1 in the address of a registry API, or a catalogue file.'
      : `It is a server with registries. Name one of them: ${registries.map((one) => `\`portolan config set-registry ${one}\``).join(', ')}.`;
  throw registryAddressUnusable(
    shown,
    `neither a registry API nor a catalogue answers there (${probe.pathname}: ${reply.status})`,
    hint,
  );
}

const MAX_OFFERED = 10;

/** Returns the registries listed at `/registry` below the named address. */
async function registriesAt(
  base: URL,
  connection: RegistryConnection,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const list = new URL(base);
  list.pathname = `${base.pathname.replace(/\/$/, '')}/registry`;
  const { status, body } = await connection.get(list, PROBE_LIMITS, signal);
  const reading = status === 200 ? readJson(body.toString('utf8')) : { fault: 'no list' };
  const items = 'value' in reading ? memberOf(reading.value, 'registries') : undefined;
  const names = (Array.isArray(items) ? items : []).map((item: unknown) => memberOf(item, 'name'));
  return names
    .filter((name) => typeof name === 'string' && /^[\w.-]{1,128}$/.test(name))
    .slice(0, MAX_OFFERED)
    .map((name) => `${list.href}/${String(name)}`);
}

async function isCatalogue({ status, body }: RegistryReply): Promise<boolean> {
  if (status < 200 || status > 299) return false;
  try {
    await readCatalogueServers(chunksOf(body));
    return true;
  } catch (error) {
    if (isPortolanError(error)) return false;
    throw error;
  }
}

async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
