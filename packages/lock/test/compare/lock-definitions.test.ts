import { expect } from 'chai';
import {
  baselineOf,
  compareDefinitions,
  type CurrentDefinitions,
  DefinitionComparer,
  lockDefinitions,
  type LockedDefinitions,
  takeBaseline,
} from '../../src/index.ts';
import { PROMPT, replace, SERVER, TEMPLATE, TOOL } from '../support/definitions.ts';

const FACTS = { source: 'npx://@acme/github-mcp@2.1.0' };
const CURRENT: CurrentDefinitions = {
  tools: [TOOL],
  prompts: [PROMPT],
  templates: [TEMPLATE],
  server: SERVER,
};

function lock(current: CurrentDefinitions, date: string, previous?: LockedDefinitions): LockedDefinitions {
  const { locked } = lockDefinitions({ facts: FACTS, current, approval: { date, by: 'ada' }, previous });
  if (locked === undefined) throw new Error('expected a response of the server');
  return locked;
}

describe('lockDefinitions', () => {
  it('lockDefinitions › approves everything that compareDefinitions then finds unchanged', () => {
    const { workload, contents } = lock(CURRENT, '2026-11-29');
    expect(
      compareDefinitions(baselineOf(workload, contents), CURRENT, { reportRemoved: true }),
    ).to.deep.equal([]);
    expect([...workload.tools.values()][0]).to.include({ approved: '2026-11-29', by: 'ada' });
  });

  it('lockDefinitions › keeps approvals of definitions with the same meaning', () => {
    const first = lock(CURRENT, '2026-11-29');
    const reordered = replace(TOOL, ['inputSchema', 'required'], ['language', 'query']);
    const second = lock({ ...CURRENT, tools: [reordered] }, '2026-12-24', first);
    expect(second.workload).to.deep.equal(first.workload);
    for (const [digest, json] of first.contents) expect(second.contents.get(digest)).to.equal(json);
  });

  it('lockDefinitions › renews the approval of a changed definition only', () => {
    const first = lock({ ...CURRENT, tools: [TOOL, { name: 'b' }] }, '2026-11-29');
    const second = lock({ ...CURRENT, tools: [TOOL, { name: 'b', title: 'B' }] }, '2026-12-24', first);
    const dates = [...second.workload.tools].map(([name, { approved }]) => [name, approved]);
    expect(dates).to.deep.equal([
      ['search_code', '2026-11-29'],
      ['b', '2026-12-24'],
    ]);
  });

  it('lockDefinitions › leaves out removed items and those with a fault', () => {
    const first = lock({ ...CURRENT, tools: [TOOL, { name: 'b' }] }, '2026-11-29');
    const tools = [
      TOOL,
      { name: 'c', title: '\ud800' },
      { name: 'd', title: 'a' },
      { name: 'd', title: 'b' },
    ];
    const { locked, faults } = lockDefinitions({
      facts: FACTS,
      current: { ...CURRENT, tools },
      approval: { date: '2026-12-24' },
      previous: first,
    });
    expect([...(locked?.workload.tools.keys() ?? [])]).to.deep.equal(['search_code']);
    expect(faults.map(({ kind, name }) => `${kind} ${name}`)).to.deep.equal(['tool c', 'tool d']);
  });

  it('lockDefinitions › returns no workload when the response of the server has a fault', () => {
    const { locked, faults } = lockDefinitions({
      facts: FACTS,
      current: { ...CURRENT, server: { ...SERVER, instructions: '\ud800' } },
      approval: { date: '2026-12-24' },
    });
    expect(locked).to.equal(undefined);
    expect(faults).to.have.length(1);
  });
});

describe('DefinitionComparer', () => {
  const { baseline } = takeBaseline(CURRENT);

  it('DefinitionComparer › returns the same differences for the same list again', () => {
    const comparer = new DefinitionComparer(baseline);
    const texts = [
      JSON.stringify([TOOL]),
      JSON.stringify([{ ...TOOL, title: 'x' }]),
      ...Array.from({ length: 40 }, (_, at) => JSON.stringify([TOOL, { name: `page_${at}` }])),
    ];
    const first = texts.map((text) => comparer.compareList('tool', text));
    const again = texts.map((text) => comparer.compareList('tool', text));
    expect(again).to.deep.equal(first);
    expect(first[0]).to.deep.equal([]);
    expect(first[1]).to.have.length(1);
  });

  it('DefinitionComparer › compares no list that the baseline lacks', () => {
    const comparer = new DefinitionComparer({ tools: baseline.tools });
    expect(comparer.compareList('prompt', [{ name: 'x' }])).to.deep.equal([]);
    expect(comparer.compare({ prompts: [{ name: 'x' }], server: SERVER })).to.deep.equal([]);
  });

  it('DefinitionComparer › keeps the lists of tools, prompts and templates apart', () => {
    const text = JSON.stringify([{ name: 'search_code', uriTemplate: 'search_code' }]);
    const comparer = new DefinitionComparer(baseline);
    const kinds = (['tool', 'prompt', 'template'] as const).map(
      (kind) => comparer.compareList(kind, text)[0],
    );
    expect(kinds.map((one) => `${one?.kind} ${one?.change}`)).to.deep.equal([
      'tool changed',
      'prompt added',
      'template added',
    ]);
  });
});
