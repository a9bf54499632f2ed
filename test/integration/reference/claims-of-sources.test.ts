import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { apiSource } from '../../../plugins/source-api/src/index.ts';
import { fileSource } from '../../../plugins/source-file/src/index.ts';
import { gitSource } from '../../../plugins/source-git/src/index.ts';
import { kubernetesSource } from '../../../plugins/source-kubernetes/src/index.ts';
import { managedSource } from '../../../plugins/source-managed/src/index.ts';

const PAGE = path.resolve(import.meta.dirname, '../../../docs/guides/registry/authorize-by-claims.md');

/** Beginning of a row in the table, by the origin of the claims. */
const BEGINNINGS = {
  source: 'Those of the source.',
  entry: 'The annotation ',
  publisher: 'Those of the publish ',
} as const;

describe('guide on claims, "Know where entries get their claims"', () => {
  it('has a row for every shipped source kind that says who sets the claims', async () => {
    const [, table = ''] = (await readFile(PAGE, 'utf8')).split('## 3. Know where entries get their claims');
    const rows = table.split('\n').filter((line) => line.startsWith('| `'));
    for (const { kind, claimsFrom } of [apiSource, fileSource, gitSource, kubernetesSource, managedSource]) {
      const [row = '', ...others] = rows.filter((line) => line.split('|')[1]?.includes(`\`${kind}\``));
      expect(others, kind).to.deep.equal([]);
      expect(row.split('|')[2]?.trim(), kind).to.match(new RegExp(`^${BEGINNINGS[claimsFrom]}`));
    }
  });
});
