import { parseServerAddress, TOKEN_FILE, type LookupContext } from '@portolan/registry-client';
import path from 'node:path';
import type { OpenedContext } from '../context/open-workload-context.ts';
import type { LookupFlags } from './flags/lookup-flags.ts';
import { lookupContextOf } from '@portolan/workload/lookup';
import { classifyRegistry } from '@portolan/registry-client/lookup';

/**
 * Returns the context of a look-up in the registry of `--url`, else of the settings. Throws the errors of
 * `contextWithRegistry`.
 */
export async function lookupContextWith(
  flags: LookupFlags,
  context: OpenedContext,
  signal: AbortSignal,
): Promise<LookupContext> {
  return lookupContextOf(await contextWithRegistry(flags, context, signal));
}

/**
 * Returns a context that looks up names in the registry of `--url` with the token of `--token-file`. Without
 * these flags, returns the given context. The registry may have a private address, and may use http on this
 * machine. Throws ERR_SERVER_ADDRESS for an address to which no token may be sent.
 */
export async function contextWithRegistry(
  { url, 'token-file': tokenFile }: LookupFlags,
  context: OpenedContext,
  signal: AbortSignal,
): Promise<OpenedContext> {
  const file = tokenFile === undefined ? undefined : path.resolve(context.workingDirectory, tokenFile);
  const named =
    file === undefined
      ? context
      : { ...context, environment: { ...context.environment, [TOKEN_FILE]: file } };
  if (url === undefined) return named;
  parseServerAddress(url, { allowInsecure: false, origin: '--url' });
  // Imported lazily: the reader of entries is large, and `run` of an image does not need it.
  const rules = { allowPrivate: true, allowHttp: true, signal };
  const { kind, value } = await classifyRegistry(url, rules, lookupContextOf(named));
  const user = {
    ...context.user,
    registryApiUrl: kind === 'api' ? value : undefined,
    registryUrl: kind === 'url' ? value : undefined,
    localRegistryPath: kind === 'file' ? value : undefined,
    allowPrivateRegistryAddress: true,
  };
  return { ...named, user };
}
