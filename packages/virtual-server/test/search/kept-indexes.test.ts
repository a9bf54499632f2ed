import { expect } from 'chai';
import type { RenderedItem } from '../../src/middleware/rendered-list.ts';
import { KeptIndexes } from '../../src/search/kept-indexes.ts';
import { WordIndex } from '../support/word-index.ts';

function listOf(...names: readonly string[]): readonly RenderedItem[] {
  return names.map((own) => {
    const value = {
      name: `m_${own}`,
      description: `Does ${own}`,
      inputSchema: { properties: { [`of_${own}`]: {} } },
    };
    return { member: 'm', own, name: value.name, text: JSON.stringify(value), value };
  });
}

describe('KeptIndexes', () => {
  it('builds one index for equal lists of several callers, also when they search at the same time', async () => {
    const index = new WordIndex();
    const indexes = new KeptIndexes(index);
    const all = await Promise.all([indexes.get(listOf('a', 'b')), indexes.get(listOf('a', 'b'))]);
    expect(all[0])
      .to.equal(all[1])
      .and.to.equal(await indexes.get(listOf('a', 'b')));
    expect(index.lists).to.have.length(1);
    expect(index.lists[0]?.[0]).to.deep.equal({
      key: 'm/a',
      name: 'm_a',
      member: 'm',
      title: undefined,
      description: 'Does a',
      parameters: ['of_a'],
    });
  });

  it('builds another index for another list, name or order', async () => {
    const index = new WordIndex();
    const indexes = new KeptIndexes(index);
    for (const list of [listOf('a', 'b'), listOf('a'), listOf('b', 'a'), listOf('ab')])
      await indexes.get(list);
    expect(index.lists).to.have.length(4);
  });

  it('forgets the index that was used least recently above the maximum of tools', async () => {
    const index = new WordIndex();
    const indexes = new KeptIndexes(index, 4);
    await indexes.get(listOf('a', 'b'));
    await indexes.get(listOf('c', 'd'));
    await indexes.get(listOf('a', 'b'));
    await indexes.get(listOf('e'));
    expect(index.lists).to.have.length(3);
    await indexes.get(listOf('a', 'b'));
    expect(index.lists).to.have.length(3);
    await indexes.get(listOf('c', 'd'));
    expect(index.lists).to.have.length(4);
  });

  it('keeps the index of the last list when it alone is above the maximum', async () => {
    const index = new WordIndex();
    const indexes = new KeptIndexes(index, 1);
    await indexes.get(listOf('a', 'b'));
    await indexes.get(listOf('a', 'b'));
    expect(index.lists).to.have.length(1);
  });

  it('builds again after a failure', async () => {
    let builds = 0;
    const index = {
      build: () => {
        builds += 1;
        if (builds === 1) throw new Error('no memory');
        return { search: () => [] };
      },
    };
    const indexes = new KeptIndexes(index);
    const failure = await indexes.get(listOf('a')).catch((error: unknown) => error);
    expect(failure).to.be.an('error').with.property('message', 'no memory');
    await indexes.get(listOf('a'));
    expect(builds).to.equal(2);
  });
});
