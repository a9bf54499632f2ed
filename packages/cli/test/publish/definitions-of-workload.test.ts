import { readPublishedDefinitions } from '@portolan/entry-format';
import { type CurrentDefinitions, takeEntryBaseline, compareDefinitions } from '@portolan/lock';
import { expect } from 'chai';
import { caught } from '../../../../test/support/caught.ts';
import { addDefinitions, describeDefinitions } from '../../src/publish/add-definitions.ts';
import { definitionsOfWorkload } from '../../src/publish/definitions-of-workload.ts';
import type { Publications } from '../../src/publish/read-publications.ts';

const TOOL = {
  name: 'search',
  description: 'Searches notes.',
  inputSchema: { type: 'object' },
  extra: [1],
  _meta: { 'ui/resourceUri': 'ui://search', counter: 5 },
};
const CURRENT: CurrentDefinitions = {
  tools: JSON.stringify([TOOL, { name: 'add' }]),
  prompts: '[{"name":"review"}]',
  templates: '[]',
  server: {
    name: 'notes',
    version: '1.2.0',
    revisions: ['2026-07-28'],
    capabilities: { tools: {}, prompts: {} },
    instructions: 'Search first.',
  },
};
const SERVER: Publications = {
  from: 'document',
  entries: [{ type: 'server', document: { name: 'com.acme/notes', version: '1.0.0' }, place: '' }],
};

function documentOf({ entries }: Publications): unknown {
  const [entry] = entries;
  return entry !== undefined && 'document' in entry ? entry.document : undefined;
}

describe('definitionsOfWorkload', () => {
  it('definitionsOfWorkload › keeps unknown members, and of _meta only the keys of apps', () => {
    const { definitions } = definitionsOfWorkload('demo', CURRENT);
    expect(definitions.tools).to.deep.equal([
      { ...TOOL, _meta: { 'ui/resourceUri': 'ui://search' } },
      { name: 'add' },
    ]);
    expect(definitions.server).to.deep.equal({
      name: 'notes',
      version: '1.2.0',
      capabilities: { tools: {}, prompts: {} },
      instructions: 'Search first.',
    });
  });

  it('definitionsOfWorkload › gives equal bytes for another order of keys', () => {
    const reordered = JSON.stringify([
      Object.fromEntries(Object.entries(TOOL).toReversed()),
      { name: 'add' },
    ]);
    const [first, second] = [CURRENT, { ...CURRENT, tools: reordered }].map((current) =>
      JSON.stringify(definitionsOfWorkload('demo', current)),
    );
    expect(second).to.equal(first);
  });

  it('definitionsOfWorkload › refuses definitions that have no digest, and names them', async () => {
    const twice = '[{"name":"search"},{"name":"search","title":"x"},{"title":"no name"}]';
    const error = await caught(() => definitionsOfWorkload('demo', { ...CURRENT, tools: twice }));
    expect(error).to.include({ code: 'ERR_DEFINITIONS_UNREADABLE' });
    expect(error.message)
      .to.include('tool "search": another item of the list has this name')
      .and.include('tool "": its "name" is not a text');
  });

  it('describeDefinitions › counts the items', () => {
    expect(describeDefinitions(definitionsOfWorkload('demo', CURRENT))).to.match(
      /^demo: 2 tools, 1 prompt, 0 templates; \d+ bytes$/,
    );
  });
});

describe('addDefinitions', () => {
  it('addDefinitions › publishes what the guard then finds unchanged', () => {
    const document = documentOf(addDefinitions(SERVER, definitionsOfWorkload('demo', CURRENT)));
    const baseline = takeEntryBaseline(document)?.baseline ?? {};
    expect(baseline.server?.name).to.equal('notes');
    expect(compareDefinitions(baseline, CURRENT, { reportRemoved: true })).to.deep.equal([]);
  });

  it('addDefinitions › replaces definitions of an earlier run', () => {
    const first = addDefinitions(SERVER, definitionsOfWorkload('demo', CURRENT));
    const second = addDefinitions(first, definitionsOfWorkload('demo', { ...CURRENT, tools: '[]' }));
    expect(readPublishedDefinitions(documentOf(second))?.tools).to.deep.equal([]);
  });

  const skill = { type: 'skill', document: {}, place: '' } as const;
  for (const [title, publications] of [
    ['a skill', { from: 'document', entries: [skill] }],
    ['a catalogue', { ...SERVER, from: 'catalogue' }],
  ] as const)
    it(`addDefinitions › refuses ${title}`, async () => {
      const definitions = definitionsOfWorkload('demo', CURRENT);
      expect(await caught(() => addDefinitions(publications, definitions))).to.include({
        code: 'ERR_BAD_ARGUMENT',
        message: '--with-tools: found a file that is not one server; expected a server.json',
      });
    });
});
