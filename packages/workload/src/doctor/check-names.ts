import { lookup } from 'node:dns/promises';
import { asksDefaultRegistry } from '@portolan/run-spec';
import type { WorkloadContext } from '../workload-context.ts';
import type { Finding } from './finding.ts';

const DEFAULT_IMAGE_REGISTRY = 'registry-1.docker.io';
const MAX_MS = 5000;

export type FindAddress = (host: string) => Promise<unknown>;

/** Checks that this machine resolves the host names of the registries. */
export async function checkNames(
  { user, environment }: WorkloadContext,
  signal: AbortSignal,
  findAddress: FindAddress = (host) => lookup(host),
): Promise<readonly Finding[]> {
  const proxy = environment['HTTPS_PROXY'] ?? environment['https_proxy'];
  if (proxy !== undefined && proxy !== '') {
    return [{ check: 'names', level: 'fine', found: 'The proxy in HTTPS_PROXY resolves host names.' }];
  }
  const registries = asksDefaultRegistry(user)
    ? [user.defaultRegistryUrl]
    : [user.registryApiUrl, user.registryUrl];
  const configured = registries.flatMap(
    (url) => (url === undefined ? undefined : URL.parse(url)?.hostname) ?? [],
  );
  const hosts = [...new Set([...configured, DEFAULT_IMAGE_REGISTRY])];
  return await Promise.all(hosts.map((host) => checkHost(host, signal, findAddress)));
}

async function checkHost(host: string, signal: AbortSignal, findAddress: FindAddress): Promise<Finding> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('no response')), MAX_MS);
  const abort = (): void => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    await Promise.race([findAddress(host), late]);
    return { check: 'names', level: 'fine', found: `${host} resolves to an address.` };
  } catch (error) {
    signal.throwIfAborted();
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'no response';
    return {
      check: 'names',
      level: 'notice',
      found: `${host} does not resolve on this machine (${code}), so nothing can be fetched from it.`,
      remedy: 'Check the name servers of this machine, or set HTTPS_PROXY if this network needs a proxy.',
    };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}
