import type { ConfigBlock, Plugin, SecretStoreKind } from '@portolan/plugin-api';
import { EnvironmentStore } from './environment-store.ts';

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
