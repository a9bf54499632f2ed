import { readSmallFile } from '@portolan/plugin-api';
import { badSetting, lacksTokenExchangeSecret, type RunConfig, type RunFlags } from '@portolan/run-spec';
import { fileUnreadable } from '../../state/state-errors.ts';
import type { WorkloadContext } from '../../workload-context.ts';
import { nameFlag } from './name-flag.ts';
import { type FilePlaces, pathOf } from './read/read-policy-files.ts';

export interface TokenClientSecret {
  readonly value: string;
  readonly by: string;
  /**
   * Whether a flag names the secret. False for a secret from an environment variable, which may be meant for
   * other servers.
   */
  readonly isGiven: boolean;
}

const VARIABLES = ['PORTOLAN_TOKEN_EXCHANGE_CLIENT_SECRET', 'TOOLHIVE_TOKEN_EXCHANGE_CLIENT_SECRET'] as const;

/** Returns the client secret for the token exchange. Throws ERR_NAMED_FILE and ERR_SETTING. */
export async function findTokenExchangeSecret(
  { tokenExchangeClientSecretFile: file }: RunFlags,
  context: FilePlaces & Pick<WorkloadContext, 'environment'>,
  signal: AbortSignal,
): Promise<TokenClientSecret | undefined> {
  if (file === undefined) return ofEnvironment(context);
  const by = '--token-exchange-client-secret-file';
  const read = (): Promise<string> => readSecret(pathOf(file, context), signal);
  const value = (await nameFlag('tokenExchangeClientSecretFile', read)).trim();
  if (value === '') throw badSetting(by, file, 'a file with a secret in it');
  return { value, by, isGiven: true };
}

export function withTokenExchangeSecret(
  config: RunConfig,
  context: Pick<WorkloadContext, 'environment'>,
): Pick<RunConfig, 'token_exchange_config'> {
  const { token_exchange_config: exchange } = config;
  const secret = lacksTokenExchangeSecret(config) ? ofEnvironment(context) : undefined;
  return {
    token_exchange_config: secret === undefined ? exchange : { ...exchange, client_secret: secret.value },
  };
}

function ofEnvironment({ environment }: Pick<WorkloadContext, 'environment'>): TokenClientSecret | undefined {
  for (const by of VARIABLES) {
    const value = environment[by]?.trim();
    if (value) return { value, by, isGiven: false };
  }
  return undefined;
}

async function readSecret(file: string, signal: AbortSignal): Promise<string> {
  try {
    return await readSmallFile(file, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw fileUnreadable('client secret', file, error);
  }
}
