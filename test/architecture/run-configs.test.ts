import { readFile, glob } from 'node:fs/promises';
import { expect } from 'chai';

/** Files of the workload package that may delete a run config, and the command of a person that each belongs to. */
const MAY_DELETE: Readonly<Record<string, string>> = {
  'packages/workload/src/run/operations/clear-workload.ts': 'removeFiles, which the files below call',
  'packages/workload/src/run/operations/remove-workloads.ts': '`portolan rm`',
  'packages/workload/src/run/steps/reserve-name.ts':
    '`portolan run` that fails: it takes back what it has written itself',
  'packages/workload/src/run/steps/stop-replaced.ts': '`portolan run --replace`',
};

const DELETES = /\bstore\.remove\(|\bremoveFiles\(/;

describe('run configs', () => {
  it('are deleted only by commands of a user, never by the supervisor, by status commands or by repairs', async () => {
    const found: string[] = [];
    for await (const file of glob('{packages,plugins}/*/src/**/*.ts')) {
      if (file.endsWith('workload-store.ts')) continue;
      if (DELETES.test(await readFile(file, 'utf8'))) found.push(file);
    }
    expect(found.toSorted()).to.deep.equal(Object.keys(MAY_DELETE).toSorted());
  });
});
