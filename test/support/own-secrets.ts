import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { deriveKeys } from '../../plugins/secret-store-encrypted/src/derive-keys.ts';
import { newSeed, seal } from '../../plugins/secret-store-encrypted/src/sealed-file.ts';

/** Minimum cost that a file may have: a sixth of what `portolan secret provider encrypted` uses. */
const COST = { log2N: 14, r: 8, p: 1 };

/**
 * Writes the files below `root` that `portolan secret provider encrypted` writes for a user with this
 * password. The low cost saves each process that opens the store a third of a second. For tests with another
 * subject.
 */
export async function giveSecretStore(root: string, password: string): Promise<void> {
  const file = path.join(root, 'data/portolan/secrets/encrypted');
  const settings = path.join(root, 'config/portolan/config.yaml');
  for (const one of [file, settings]) await mkdir(path.dirname(one), { recursive: true, mode: 0o700 });
  const seed = newSeed(COST);
  const keys = await deriveKeys(password, seed.salt, COST);
  await writeFile(file, seal(new Map(), seed, keys, file), { mode: 0o600 });
  await writeFile(settings, 'secrets:\n  provider_type: encrypted\n  setup_completed: true\n', {
    mode: 0o600,
  });
}
