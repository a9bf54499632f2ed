import type { ConfigBlock, ConfigOf } from '@portolan/plugin-api';

export const encryptedConfig = {
  type: 'object',
  title: 'Encrypted file',
  description: 'Secrets in a file of this user, encrypted with a password.',
  properties: {
    keyring: {
      type: 'boolean',
      default: true,
      description:
        'Stores the password in the keyring of the operating system, so that it is prompted for only once.',
    },
  },
} as const satisfies ConfigBlock;

export type EncryptedConfig = ConfigOf<typeof encryptedConfig>;
