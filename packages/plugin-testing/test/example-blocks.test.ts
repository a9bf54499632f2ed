import type { ConfigBlock } from '@portolan/plugin-api';
import { expect } from 'chai';
import { exampleBlocks } from '../src/example-blocks.ts';

describe('exampleBlocks', () => {
  const text = { type: 'string', examples: ['a', 'b'] } as const satisfies ConfigBlock;
  const cases: readonly { title: string; block: ConfigBlock; expected: readonly unknown[] }[] = [
    { title: 'a block without settings', block: { type: 'object' }, expected: [{}, {}] },
    {
      title: 'required and other keys',
      block: {
        type: 'object',
        required: ['name'],
        properties: {
          name: text,
          size: { type: 'integer', default: 0 },
          colour: { type: 'string', enum: ['red'] },
        },
      },
      expected: [
        { name: 'a', size: 0 },
        { name: 'a', size: 0, colour: 'red' },
      ],
    },
    {
      title: 'keys that exclude each other',
      block: {
        type: 'object',
        oneOfKeys: [['path'], ['url', 'user']],
        properties: { path: text, url: text, user: text, deep: { type: 'boolean' } },
      },
      expected: [
        { path: 'a' },
        { path: 'a', deep: true },
        { url: 'a', user: 'a' },
        { url: 'a', user: 'a', deep: true },
      ],
    },
    {
      title: 'maps and lists inside',
      block: {
        type: 'object',
        required: ['list', 'map'],
        properties: {
          list: { type: 'array', items: { type: 'object', required: ['name'], properties: { name: text } } },
          map: { type: 'object', properties: { name: text } },
        },
      },
      expected: [
        { list: [{ name: 'a' }], map: {} },
        { list: [{ name: 'a' }], map: {} },
      ],
    },
    {
      title: 'a required key that there is no value for',
      block: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
      expected: [],
    },
  ];
  for (const { title, block, expected } of cases) {
    it(`returns values for ${title}`, () => {
      expect(exampleBlocks(block)).to.deep.equal(expected);
    });
  }
});
