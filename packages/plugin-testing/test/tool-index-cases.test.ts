import type { BuiltToolIndex, IndexedTool, ToolIndexKind } from '@portolan/plugin-api';
import { expect } from 'chai';
import { toolIndexCases, toolIndexContract } from '../src/index.ts';
import { failingCases } from './support/failing-cases.ts';

type Faults = Partial<{
  order: 'reverse' | 'random';
  ignoresLimit: boolean;
  repeats: boolean;
  sharesLists: boolean;
  readsQueryAsPattern: boolean;
  sortsTools: boolean;
  failsEmpty: boolean;
  closesOnce: boolean;
}>;

/** Counts the words that a query and a tool have in common; tests below break one promise at a time. */
class CountedIndex implements BuiltToolIndex {
  readonly #faults: Faults;
  readonly #tools: readonly IndexedTool[];
  #searches = 0;

  constructor(tools: readonly IndexedTool[], faults: Faults) {
    this.#tools = tools;
    this.#faults = faults;
  }

  search(query: string, limit: number): readonly string[] {
    const { order, ignoresLimit, repeats, readsQueryAsPattern } = this.#faults;
    if (readsQueryAsPattern === true) new RegExp(query).test('');
    const words = new Set(wordsOf(query));
    const scored = this.#tools
      .map((tool) => ({
        key: tool.key,
        score: wordsOf(textOf(tool)).filter((word) => words.has(word)).length,
      }))
      .filter(({ score }) => score > 0)
      .toSorted((one, other) => other.score - one.score)
      .map(({ key }) => key);
    this.#searches += 1;
    if (order === 'reverse' || (order === 'random' && this.#searches % 2 === 0)) scored.reverse();
    const keys = repeats === true ? scored.flatMap((key) => [key, key]) : scored;
    return ignoresLimit === true ? keys : keys.slice(0, limit);
  }
}

const wordsOf = (text: string): readonly string[] =>
  text
    .slice(0, 1000)
    .split(/[^a-z0-9]+/i)
    .filter((word) => word !== '');
const textOf = ({ name, description = '' }: IndexedTool): string =>
  `${name} ${name.replaceAll('_', ' ')} ${description}`;

function kindWith(faults: Faults): ToolIndexKind {
  return {
    kind: 'counted',
    config: { type: 'object', description: 'Words in common.', properties: {} },
    create: () => {
      let isClosed = false;
      const all: IndexedTool[] = [];
      return {
        build: (tools) => {
          if (faults.failsEmpty === true && tools.length === 0) throw new Error('no tools');
          // SAFETY: a fault on purpose; the suite passes a frozen list.
          if (faults.sortsTools === true) (tools as IndexedTool[]).reverse();
          if (faults.sharesLists === true) all.push(...tools);
          return new CountedIndex(faults.sharesLists === true ? all : tools, faults);
        },
        close: async () => {
          if (isClosed && faults.closesOnce === true) throw new Error('closed');
          isClosed = true;
          await Promise.resolve();
        },
      };
    },
  };
}

const tried = (faults: Faults) => {
  const kind = kindWith(faults);
  return { name: 'counted', kind, blocks: [{}], create: kind.create.bind(kind, {}) };
};

toolIndexContract(tried({}));

describe('toolIndexCases', () => {
  const limited = 'returns keys of its list, each once, and at most as many as the limit';
  const broken: readonly { readonly faults: Faults; readonly fails: string }[] = [
    {
      faults: { order: 'reverse' },
      fails: 'ranks the tool first whose name or description contains the words of the query',
    },
    { faults: { ignoresLimit: true }, fails: limited },
    { faults: { repeats: true }, fails: limited },
    {
      faults: { order: 'random' },
      fails: 'returns the same keys for the same query, also from another index of the same list',
    },
    { faults: { sharesLists: true }, fails: 'separates the lists of tools that it indexes' },
    { faults: { failsEmpty: true }, fails: 'builds an index of an empty list, which matches nothing' },
    { faults: { readsQueryAsPattern: true }, fails: 'accepts a query of any text and any length' },
    { faults: { sortsTools: true }, fails: 'indexes tools with any text, without changing them' },
    { faults: { closesOnce: true }, fails: 'can be closed twice' },
  ];
  for (const { faults, fails } of broken) {
    it(`fails for an index that ${JSON.stringify(faults)}`, async () => {
      expect(await failingCases(toolIndexCases(tried(faults)))).to.include(fails);
    });
  }
});
