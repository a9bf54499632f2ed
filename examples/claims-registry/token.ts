// Requests an access token for each named person, and writes it to tokens/NAME.
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ISSUER, PEOPLE, RESOURCE } from './people.ts';

const FOLDER = 'tokens';

/** Requests a token with the client credentials grant (RFC 6749, section 4.4). */
async function requestToken(name: string): Promise<string> {
  const person = PEOPLE.get(name);
  if (person === undefined) throw new Error(`"${name}" is none of ${[...PEOPLE.keys()].join(', ')}`);
  const response = await fetch(`${ISSUER}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${name}:${person.secret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', resource: RESOURCE }),
  });
  const body: unknown = await response.json();
  if (typeof body === 'object' && body !== null && 'access_token' in body) return String(body.access_token);
  throw new Error(`the issuer answered ${response.status}: ${JSON.stringify(body)}`);
}

const folder = path.join(import.meta.dirname, FOLDER);
await mkdir(folder, { recursive: true, mode: 0o700 });
for (const name of process.argv.slice(2)) {
  await writeFile(path.join(folder, name), `${await requestToken(name)}\n`, { mode: 0o600 });
  console.log(`${FOLDER}/${name}`);
}
