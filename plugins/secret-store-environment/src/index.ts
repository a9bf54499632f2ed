import {
  type ConfigBlock,
  type Plugin,
  type SecretStoreKind,
  PortolanError,
  type SecretStore,
} from '@portolan/plugin-api';

/** The second prefix is the reference implementation's. */
const PREFIXES = ['PORTOLAN_SECRET_', 'TOOLHIVE_SECRET_'] as const;

/** Reads secrets from environment variables. An empty variable counts as absent. */
export class EnvironmentStore implements SecretStore {
  readonly #environment: Readonly<Record<string, string | undefined>>;

  constructor(environment: Readonly<Record<string, string | undefined>>) {
    this.#environment = environment;
  }

  // eslint-disable-next-line require-await -- what is thrown has to reject
  async find(name: string): Promise<string | undefined> {
    if (name === '' || /[=\0]/.test(name)) throw badVariableName();
    return PREFIXES.map((prefix) => this.#environment[prefix + name]).find(
      (value) => value !== undefined && value !== '',
    );
  }
}

/** Creates the error for an impossible variable name. */
function badVariableName(): PortolanError {
  return new PortolanError(
    'ERR_SECRET_NAME',
    'mistake',
    'The name of the secret is invalid: no environment variable can have it.',
    { hint: 'Use a name without "=": the secret weather-key is the variable PORTOLAN_SECRET_weather-key.' },
  );
}

export const environmentConfig = {
  type: 'object',
  title: 'Environment',
  description: 'Secrets in environment variables, `PORTOLAN_SECRET_` and the name.',
  properties: {},
} as const satisfies ConfigBlock;

export const environmentStore: SecretStoreKind<typeof environmentConfig> = {
  kind: 'environment',
  config: environmentConfig,
  can: [],
  create: (_config, { environment }) => new EnvironmentStore(environment),
};

export default {
  name: '@portolan/secret-store-environment',
  apiVersion: 2,
  contributes: { secretStores: [environmentStore] },
} satisfies Plugin;
