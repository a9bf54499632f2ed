import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { findDenial, readDenials } from '../../src/run/operations/find-denial.ts';
import { caught } from '../../../../test/support/caught.ts';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';
import { testWorkloadContext } from '../support/test-workload-context.ts';

const denial = (id: string) => ({
  id,
  at: '2026-01-01T00:00:00.000Z',
  workload: 'weather',
  kind: 'cedar',
  asked: 'tools/call of Tool::"a"',
  because: ['No policy permits it.'],
  saw: {},
});

describe('findDenial', () => {
  const folders = new TemporaryFolders();
  afterEach(() => folders.removeAll());

  it('finds a denial of any workload, and ignores invalid lines', async () => {
    const context = testWorkloadContext(await folders.make());
    const { policies } = context.directories;
    const lines = [
      'cut off: {"id":"',
      JSON.stringify({ id: 'd-1', because: 'no list' }),
      JSON.stringify({ ...denial('d-2'), policy: { place: 7 } }),
      JSON.stringify(denial('d-3')),
    ];
    await mkdir(path.join(policies, 'weather'), { recursive: true });
    await mkdir(path.join(policies, 'notes'), { recursive: true });
    await writeFile(path.join(policies, 'a file'), '');
    await writeFile(path.join(policies, 'weather', 'denials.jsonl'), `${lines.join('\n')}\n{"id":"d-4`);
    expect(await findDenial('d-3', context)).to.deep.equal(denial('d-3'));
    for (const id of ['d-1', 'd-2', 'd-4', '__proto__']) {
      const error = await caught(() => findDenial(id, context));
      expect(error).to.have.property('code', 'ERR_NAME_UNKNOWN');
    }
  });

  it('reads the last 1,000 denials of a workload', async () => {
    const folder = await folders.make();
    const all = Array.from({ length: 1001 }, (_none, at) => JSON.stringify(denial(`d-${at}`)));
    await writeFile(path.join(folder, 'denials.jsonl'), all.join('\n'));
    const ids = (await readDenials(folder)).map(({ id }) => id);
    expect([ids.length, ids[0], ids.at(-1)]).to.deep.equal([1000, 'd-1', 'd-1000']);
  });

  it('throws ERR_NAME_UNKNOWN when there are no denials', async () => {
    const context = testWorkloadContext(await folders.make());
    expect(await caught(() => findDenial('d-1', context))).to.have.property('code', 'ERR_NAME_UNKNOWN');
  });
});
