// Generates the key that encrypts the registry's login sessions, and writes it to session.key.
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';

const FILE = 'session.key';

await writeFile(path.join(import.meta.dirname, FILE), `${randomBytes(32).toString('base64')}\n`, {
  mode: 0o600,
});
console.log(FILE);
