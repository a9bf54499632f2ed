import type { UserSettings } from '@portolan/run-spec';
import { secretsNotSetUp } from './secret-errors.ts';

export const PROVIDER_VARIABLE = 'PORTOLAN_SECRETS_PROVIDER';

export interface ProviderFacts {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly user: Pick<UserSettings, 'secretsProvider'>;
}

/**
 * Returns the name of the secret store, from the environment variable or else the user's settings. Before
 * `secret setup`, the variable may only name `environment`. Throws ERR_SECRETS_NOT_SET_UP.
 */
export function chooseProvider({ environment, user }: ProviderFacts): string {
  const provider = environment[PROVIDER_VARIABLE];
  if (provider !== undefined && provider !== '') {
    if (provider !== 'environment' && user.secretsProvider === undefined) {
      throw secretsNotSetUp(`${PROVIDER_VARIABLE}=${provider} needs a set-up first`);
    }
    return provider;
  }
  const { secretsProvider } = user;
  if (secretsProvider === undefined) throw secretsNotSetUp();
  // ToolHive formerly called this store `basic`.
  return secretsProvider === 'basic' ? 'encrypted' : secretsProvider;
}
