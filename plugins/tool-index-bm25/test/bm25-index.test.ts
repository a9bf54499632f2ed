import type { IndexedTool } from '@portolan/plugin-api';
import { expect } from 'chai';
import { buildBm25Index } from '../src/bm25-index.ts';

function tool(key: string, fields: Partial<IndexedTool> = {}): IndexedTool {
  const [member = '', own = ''] = key.split('/');
  return { key, name: `${member}_${own}`, member, parameters: [], ...fields };
}

describe('buildBm25Index', () => {
  it('finds a tool by its name, title, description, parameters and member', async () => {
    const built = await buildBm25Index([
      tool('a/one', { title: 'Violet' }),
      tool('a/two', { description: 'Turquoise' }),
      tool('a/three', { parameters: ['crimsonShade'] }),
      tool('indigo/four'),
      tool('a/five', { name: 'a_magenta' }),
    ]);
    for (const [query, key] of [
      ['violet', 'a/one'],
      ['turquoise', 'a/two'],
      ['crimson', 'a/three'],
      ['indigo', 'indigo/four'],
      ['magenta', 'a/five'],
    ] as const) {
      expect(await built.search(query, 5), query).to.deep.equal([key]);
    }
  });

  it('keeps the order of the list when tools match equally', async () => {
    const tools = ['b/same', 'a/same', 'c/same'].map((key) => tool(key, { name: 'same', member: 'm' }));
    expect(await (await buildBm25Index(tools)).search('same', 2)).to.deep.equal(['b/same', 'a/same']);
  });

  it('ignores the text of a query after 1,000 characters', async () => {
    const built = await buildBm25Index([tool('a/one'), tool('a/two')]);
    expect(await built.search(`${'x '.repeat(500)}one`, 5)).to.deep.equal([]);
    expect(await built.search(`${'x '.repeat(498)}one`, 5)).to.deep.equal(['a/one']);
  });

  it('ignores parameters after the 200th', async () => {
    const parameters = [...Array.from({ length: 200 }, (_, at) => `option_${at}`), 'violet'];
    const built = await buildBm25Index([tool('a/one', { parameters })]);
    expect(await built.search('violet', 5)).to.deep.equal([]);
    expect(await built.search('option 199', 5)).to.deep.equal(['a/one']);
  });

  it('finds a tool by another form of a word and by a related word, below one with the word itself', async () => {
    const built = await buildBm25Index([
      tool('a/one', { name: 'a_delete_pages' }),
      tool('a/two', { name: 'a_remove_pages' }),
    ]);
    expect(await built.search('removing a page', 5)).to.deep.equal(['a/two', 'a/one']);
  });

  it('ignores the text of a description after 4,000 characters', async () => {
    const built = await buildBm25Index([tool('a/one', { description: `${'x '.repeat(2000)}violet` })]);
    expect(await built.search('violet', 5)).to.deep.equal([]);
  });
});
