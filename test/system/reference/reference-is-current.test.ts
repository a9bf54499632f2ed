import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { renderReference } from '../../../scripts/reference/render-reference.ts';

const root = path.resolve(import.meta.dirname, '../../..');

describe('docs/reference', function () {
  this.timeout(180_000); // The cases start the compiler and the command line once.

  let pages: ReadonlyMap<string, string>;
  before(async () => {
    pages = await renderReference(root);
  });

  for (const name of [
    'config.md',
    'config.schema.json',
    'errors.md',
    'hooks.md',
    'metrics.md',
    'plugin-api.d.ts',
    'routes.md',
    'run-flags.md',
    'settings.md',
  ]) {
    it(`${name} › matches the code (\`npm run docs\` regenerates it)`, async () => {
      const file = `docs/reference/${name}`;
      expect(await readFile(path.join(root, file), 'utf8')).to.equal(pages.get(file));
    });
  }
});
