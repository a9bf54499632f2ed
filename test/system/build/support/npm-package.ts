import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { type LocalIndexes, NPM_HOST } from './local-indexes.ts';

/** A server that returns a name for `initialize`: the content of `install.txt` if the file exists. */
export const NODE_SERVER = `#!/usr/bin/env node
const { existsSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const note = join(__dirname, 'install.txt');
const name = existsSync(note) ? readFileSync(note, 'utf8') : ['notes', ...process.argv.slice(2)].join(' ');
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id } = JSON.parse(line);
  const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name, version: '1' } };
  console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
});
`;

export interface NpmPackage {
  readonly name: string;
  readonly version: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly more?: Readonly<Record<string, unknown>>;
}

/** Adds a package to the local registry. Existing versions stay. */
export async function publishNpm(indexes: LocalIndexes, folder: string, one: NpmPackage): Promise<void> {
  const { name, version, files = { 'server.js': NODE_SERVER }, more = {} } = one;
  const manifest = { name, version, bin: { notes: 'server.js' }, ...more };
  const place = path.join(folder, 'npm-publish');
  for (const [file, text] of Object.entries({ 'package.json': JSON.stringify(manifest), ...files })) {
    await mkdir(path.dirname(path.join(place, 'package', file)), { recursive: true });
    await writeFile(path.join(place, 'package', file), text);
  }
  const archive = path.join(place, 'package.tgz');
  await promisify(execFile)('tar', ['-czf', archive, '-C', place, 'package']);
  const body = await readFile(archive);
  await rm(place, { recursive: true });
  const tarball = `${NPM_HOST}/${name}/-/${version}.tgz`;
  indexes.answers.set(tarball, { type: 'application/octet-stream', body });
  const known = indexes.answers.get(`${NPM_HOST}/${name}`);
  // SAFETY: this module wrote it below.
  const before = known === undefined ? {} : (JSON.parse(String(known.body)) as { versions: object }).versions;
  const integrity = `sha512-${createHash('sha512').update(body).digest('base64')}`;
  const dist = { tarball: `https://${tarball}`, integrity };
  const versions = { ...before, [version]: { ...manifest, dist, hasInstallScript: 'scripts' in manifest } };
  const document = { name, 'dist-tags': { latest: version }, versions };
  indexes.answers.set(`${NPM_HOST}/${name}`, { type: 'application/json', body: JSON.stringify(document) });
}
