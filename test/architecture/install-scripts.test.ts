import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** Production dependencies that may have an install script, with the reason. */
const ALLOWED: Readonly<Record<string, string>> = {};

interface Locked {
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
}

describe('production dependencies', () => {
  it('package-lock.json › has no production dependency with an install script except those in this list', async () => {
    const found = (await readLocked()).filter(
      ([, { dev, hasInstallScript }]) => hasInstallScript === true && dev !== true,
    );
    expect(found.map(([place]) => nameOf(place)).toSorted()).to.deep.equal(Object.keys(ALLOWED).toSorted());
  });

  it('package-lock.json › does not contain yarn', async () => {
    const names = (await readLocked()).map(([place]) => nameOf(place));
    expect(names).to.include('npm').and.not.include('yarn');
  });

  it('allowScripts › names every dependency with an install script, and only those', async () => {
    const scripts = (await readLocked()).filter(([, { hasInstallScript }]) => hasInstallScript === true);
    const text = await readFile(path.join(ROOT, 'package.json'), 'utf8');
    // SAFETY: a file of the repository.
    const { allowScripts } = JSON.parse(text) as { readonly allowScripts: Readonly<Record<string, boolean>> };
    const names = new Set(scripts.map(([place]) => nameOf(place)));
    expect(Object.keys(allowScripts).toSorted()).to.deep.equal([...names].toSorted());
  });
});

async function readLocked(): Promise<readonly (readonly [place: string, locked: Locked])[]> {
  const text = await readFile(path.join(ROOT, 'package-lock.json'), 'utf8');
  // SAFETY: npm writes this file.
  const { packages } = JSON.parse(text) as { readonly packages: Readonly<Record<string, Locked>> };
  return Object.entries(packages);
}

function nameOf(place: string): string {
  return place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
}
