import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { WORLD_PACKAGES } from '../world/packages.ts';
import { readResults, renderPage } from '../world/results.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

describe('docs/reference/world.md', () => {
  it('shows the results of test/world/results.json', async () => {
    expect(await readFile(path.join(ROOT, 'docs/reference/world.md'), 'utf8')).to.equal(
      renderPage(readResults()),
    );
  });

  it('has results only for packages of the table', () => {
    const targets = WORLD_PACKAGES.map(({ target }): string => target);
    expect(targets).to.include.members(readResults().packages.map(({ target }) => target));
  });
});

describe('WORLD_PACKAGES', () => {
  it('lists each package once', () => {
    const targets = WORLD_PACKAGES.map(({ target }) => target);
    expect(targets).to.deep.equal([...new Set(targets)]);
  });

  it('has ten packages of npm and PyPI for continuous integration', () => {
    const quick = WORLD_PACKAGES.filter(({ isQuick }) => isQuick);
    expect(quick).to.have.length(10);
    expect(new Set(quick.map(({ target }) => target.slice(0, 3)))).to.deep.equal(new Set(['npx', 'uvx']));
  });

  it('has no value that looks like a real credential', () => {
    const values = WORLD_PACKAGES.flatMap(({ env = {}, args = [] }) => [...Object.values(env), ...args]);
    expect(values.filter((value) => /[A-Za-z0-9_]{24,}/.test(value) && /\d/.test(value))).to.deep.equal([]);
  });
});
