import type { ConfigBlock, SecretStoreKind } from '@portolan/plugin-api';

export const onePasswordConfig = {
  type: 'object',
  title: '1Password',
  description: 'Secrets in vaults of 1Password, read through its program `op`.',
  properties: {
    program: {
      type: 'string',
      minLength: 1,
      default: 'op',
      description: 'The program: a name to find in PATH, or an absolute path.',
    },
  },
} as const satisfies ConfigBlock;

/** Secret store kind `1password`. Runs the `op` program when a secret is needed. */
export const onePasswordStore: SecretStoreKind<typeof onePasswordConfig> = {
  kind: '1password',
  config: onePasswordConfig,
  can: ['list'],
  async create({ program }, { environment }) {
    const { OnePasswordStore } = await import('./onepassword-store.ts');
    return new OnePasswordStore({ program, environment });
  },
};
