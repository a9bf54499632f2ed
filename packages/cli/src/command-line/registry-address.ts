import { Args } from '@oclif/core';
import { parseServerAddress } from '@portolan/registry-client';
import type { UserSettings } from '@portolan/run-spec';
import { noRegistryNamed } from '@portolan/workload';
import { badArgument } from '../terminal/terminal-errors.ts';
import { string } from './flags/flag-types.ts';

export const registryArgument = {
  registry: Args.string({
    description:
      'address of a registry or its server; by default PORTOLAN_URL, else that of `config set-registry`',
    ignoreStdin: true,
  }),
};

/** `--url`, the flag with which commands about a server name the registry. */
export const registryUrlFlag = string({ description: 'alternative to REGISTRY', helpValue: 'URL' });

/** Returns the registry of the argument or the flag. Throws ERR_BAD_ARGUMENT when both are given. */
export function typedRegistry(registry: string | undefined, url: string | undefined): string | undefined {
  if (registry !== undefined && url !== undefined)
    throw badArgument('found REGISTRY and --url; expected one of them');
  return registry ?? url;
}

/**
 * Returns the address of the registry: from the command line, else from PORTOLAN_URL, else from the settings.
 * Throws ERR_REGISTRY_UNKNOWN, and ERR_SERVER_ADDRESS for an address to which no token may be sent.
 */
export function registryAddress(
  typed: string | undefined,
  {
    environment,
    user,
    allowInsecure = false,
  }: {
    readonly environment: Readonly<Record<string, string | undefined>>;
    readonly user: Pick<UserSettings, 'registryApiUrl' | 'registryUrl'>;
    /** Whether a token may be sent to another machine over http. */
    readonly allowInsecure?: boolean;
  },
): URL {
  const set = user.registryApiUrl ?? user.registryUrl;
  const [message, text] =
    typed !== undefined
      ? (['REGISTRY', typed] as const)
      : environment['PORTOLAN_URL']
        ? (['PORTOLAN_URL', environment['PORTOLAN_URL']] as const)
        : (['the registry of the settings', set] as const);
  if (text === undefined || text === '') throw noRegistryNamed();
  return parseServerAddress(text, { allowInsecure, origin: message });
}
