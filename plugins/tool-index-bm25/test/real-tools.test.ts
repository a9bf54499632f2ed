import type { BuiltToolIndex } from '@portolan/plugin-api';
import { expect } from 'chai';
import { buildBm25Index } from '../src/bm25-index.ts';
import { measureShares, readQuestions, readTools } from './corpus/read-corpus.ts';

describe('buildBm25Index with the tools of real servers', () => {
  const tools = readTools();
  const { first, second } = readQuestions();
  let built: BuiltToolIndex;
  before(async () => {
    built = await buildBm25Index(tools);
  });

  it('has 200 questions about more than 40 servers with more than 1,000 tools', () => {
    expect(first.length + second.length).to.equal(200);
    expect(new Set(tools.map(({ member }) => member)).size).to.be.greaterThan(40);
    expect(tools.length).to.be.greaterThan(1000);
    const keys = new Set(tools.map(({ key }) => key));
    expect(
      [...first, ...second].flatMap((question) => question.tools).filter((key) => !keys.has(key)),
    ).to.deep.equal([]);
  });

  it('asks no question in the words of a description', () => {
    const words = (text: string): string =>
      text
        .toLowerCase()
        .replaceAll(/[^a-z0-9]+/g, ' ')
        .trim();
    const descriptions = tools.map(({ description = '' }) => words(description));
    for (const { query } of [...first, ...second]) {
      const isCopied = descriptions.some((description) => description.includes(words(query)));
      expect(isCopied, query).to.equal(false);
    }
  });

  it('finds the right tool among the first five matches of at least 90 % of the questions', async () => {
    const { top1, top5 } = await measureShares([...first, ...second], built.search.bind(built));
    expect(top5).to.be.at.least(0.9);
    expect(top1).to.be.at.least(0.6);
  });

  it('finds as many with the half of the questions that chose no parameter', async () => {
    const { top5 } = await measureShares(second, built.search.bind(built));
    expect(top5).to.be.at.least(0.9);
  });
});
