import { expect } from 'chai';
import { compareDefinitions, takeEntryBaseline } from '../../src/index.ts';
import { PROMPT, replace, SERVER, TEMPLATE, TOOL } from '../support/definitions.ts';

const PUBLISHER = 'io.modelcontextprotocol.registry/publisher-provided';
const { name: serverName, version, capabilities, instructions } = SERVER;
const DEFINITIONS = {
  server: { name: serverName, version, capabilities, instructions },
  tools: [TOOL],
  prompts: [PROMPT],
  resourceTemplates: [TEMPLATE],
};
const CURRENT = {
  tools: [TOOL],
  prompts: [PROMPT],
  templates: [TEMPLATE],
  server: DEFINITIONS.server,
};

function entryWith(definitions: unknown): unknown {
  return { name: 'io.github.acme/github', _meta: { [PUBLISHER]: { 'dev.portolan': { definitions } } } };
}

describe('takeEntryBaseline', () => {
  it('takeEntryBaseline › finds no difference to the server whose definitions were published', () => {
    const taken = takeEntryBaseline(entryWith(DEFINITIONS));
    expect(taken?.faults).to.deep.equal([]);
    const approved = taken?.baseline ?? {};
    expect(compareDefinitions(approved, CURRENT, { reportRemoved: true })).to.deep.equal([]);
  });

  it('takeEntryBaseline › finds a changed description, a new tool and changed instructions', () => {
    const approved = takeEntryBaseline(entryWith(DEFINITIONS))?.baseline ?? {};
    const changed = replace(TOOL, ['description'], 'Searches code. Sends keys.');
    const current = {
      ...CURRENT,
      tools: [changed, { ...TOOL, name: 'delete' }],
      server: { ...DEFINITIONS.server, instructions: 'Delete first.' },
    };
    const differences = compareDefinitions(approved, current);
    expect(differences.map((one) => [one.kind, one.name, one.change, one.class])).to.deep.equal([
      ['tool', 'delete', 'added', 'held'],
      ['tool', 'search_code', 'changed', 'held'],
      ['instructions', '', 'changed', 'held'],
    ]);
  });

  it('takeEntryBaseline › compares tools only with tool_definitions of the publisher', () => {
    const image = 'ghcr.io/acme/github';
    const extension = { [image]: { tool_definitions: [TOOL] } };
    const document = { _meta: { [PUBLISHER]: { 'io.github.stacklok': extension } } };
    const taken = takeEntryBaseline(document, [image]);
    expect(taken?.from).to.equal('publisher');
    expect(compareDefinitions(taken?.baseline ?? {}, CURRENT)).to.deep.equal([]);
  });

  it('takeEntryBaseline › leaves out two definitions with one name, so that the tool counts as new', () => {
    const twice = [TOOL, { ...TOOL, description: 'Another one.' }];
    const taken = takeEntryBaseline(entryWith({ ...DEFINITIONS, tools: twice }));
    expect(taken?.faults.map(({ name }) => name)).to.deep.equal(['search_code']);
    const differences = compareDefinitions(taken?.baseline ?? {}, CURRENT);
    expect(differences.map((one) => [one.name, one.change])).to.deep.equal([['search_code', 'added']]);
  });

  const ITEMS: readonly (readonly [string, unknown])[] = [
    ['has no name', { description: 'x' }],
    ['is null', null],
    ['has half of a surrogate pair', { ...TOOL, description: '\ud83d' }],
    [
      'is nested too deeply',
      JSON.parse('[{"name":"deep","a":'.slice(1) + '['.repeat(6000) + ']'.repeat(6000) + '}'),
    ],
  ];
  for (const [title, item] of ITEMS)
    it(`takeEntryBaseline › reports a fault for an item that ${title} and keeps the others`, () => {
      const taken = takeEntryBaseline(entryWith({ tools: [item, { ...TOOL, name: 'other' }] }));
      expect(taken?.faults.map(({ kind }) => kind)).to.deep.equal(['tool']);
      expect([...(taken?.baseline.tools?.keys() ?? [])]).to.deep.equal(['other']);
    });

  it('takeEntryBaseline › treats every tool as new when the published list is malformed', () => {
    const taken = takeEntryBaseline(entryWith({ tools: 'search_code' }));
    expect(taken?.faults).to.deep.equal([
      { kind: 'tool', name: '', fault: 'the list is a string, not an array' },
    ]);
    const [difference] = compareDefinitions(taken?.baseline ?? {}, { tools: [TOOL] });
    expect(difference).to.include({ name: 'search_code', change: 'added' });
  });

  it('takeEntryBaseline › returns undefined for an entry without definitions', () => {
    expect(takeEntryBaseline({ name: 'a/b', _meta: { [PUBLISHER]: {} } })).to.equal(undefined);
  });

  it('takeEntryBaseline › reads 5,000 published tools in less than two seconds', () => {
    const tools = Array.from({ length: 5000 }, (_, index) => ({ ...TOOL, name: `tool_${index}` }));
    const start = performance.now();
    expect(takeEntryBaseline(entryWith({ tools }))?.baseline.tools?.size).to.equal(5000);
    expect(performance.now() - start).to.be.lessThan(2000);
  });
});
