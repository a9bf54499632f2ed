import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Library } from './library.ts';

/** Name of the licence file in `dist`, which licence scanners look for. */
export const LICENCES_FILE = 'THIRD-PARTY-LICENSES.txt';

/**
 * Writes the names, versions and licences of libraries into a folder; no file without libraries. Throws for a
 * library without a licence.
 */
export async function writeLicences(folder: string, libraries: readonly Library[]): Promise<void> {
  if (libraries.length === 0) return;
  const ordered = libraries.toSorted((left, right) => titleOf(left).localeCompare(titleOf(right)));
  const parts = await Promise.all(ordered.map(async (one) => `${titleOf(one)}\n\n${await licenceText(one)}`));
  const texts = ['The files in this folder hold, in part or in whole:', ...new Set(parts)];
  await writeFile(path.join(folder, LICENCES_FILE), `${texts.join(`\n\n${'-'.repeat(78)}\n\n`)}\n`);
}

function titleOf({ name, version, licence }: Library): string {
  return `${name} ${version}${licence === undefined ? '' : ` (${licence})`}`;
}

async function licenceText({ name, directory, licence }: Library): Promise<string> {
  const files = (await readdir(directory)).filter((file) => /^(?:licen[cs]e|notice|copying)\b/i.test(file));
  const texts = files
    .toSorted()
    .map(async (file) => (await readFile(path.join(directory, file), 'utf8')).trim());
  if (texts.length > 0) return (await Promise.all(texts)).join('\n\n');
  if (licence === undefined) throw new Error(`${name} says nothing about its licence`);
  return `It has no text of its licence; its manifest names ${licence}.`;
}
