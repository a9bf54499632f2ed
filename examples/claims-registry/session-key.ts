// Makes the key with which the registry encrypts what it keeps of logins, and writes it to session.key.
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';

const FILE = 'session.key';

await writeFile(path.join(import.meta.dirname, FILE), `${randomBytes(32).toString('base64')}\n`, {
  mode: 0o600,
});
console.log(FILE);
