import { secretStoreContract } from '@portolan/plugin-testing';
import { encryptedStore } from '../src/index.ts';

secretStoreContract({
  name: 'encrypted',
  kind: encryptedStore,
  blocks: [{ keyring: true }, { keyring: false }],
  // The keyring of the machine that runs the tests is left alone.
  create: (context) => encryptedStore.create({ keyring: false }, context),
  badNames: ['', 'a\0b', 'x'.repeat(300)],
  locks: true,
});
