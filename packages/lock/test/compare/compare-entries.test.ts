import { expect } from 'chai';
import fc from 'fast-check';
import { compareEntries } from '../../src/index.ts';
import { PROMPT, replace, SERVER, TEMPLATE, TOOL } from '../support/definitions.ts';

const PUBLISHER = 'io.modelcontextprotocol.registry/publisher-provided';
const DEFINITIONS = { server: SERVER, tools: [TOOL], prompts: [PROMPT], resourceTemplates: [TEMPLATE] };

function entryWith(definitions: object): object {
  return { name: 'io.github.acme/github', _meta: { [PUBLISHER]: { 'dev.portolan': { definitions } } } };
}

describe('compareEntries', () => {
  it('compareEntries › reports every difference with its class, also removed items', () => {
    const after = {
      ...DEFINITIONS,
      tools: [replace(TOOL, ['icons'], undefined)],
      prompts: [],
      server: { ...SERVER, instructions: 'Delete first.' },
    };
    const compared = compareEntries(entryWith(DEFINITIONS), entryWith(after));
    expect(compared).to.deep.include({
      before: 'portolan',
      after: 'portolan',
      compared: ['tools', 'prompts', 'templates', 'server'],
      class: 'held',
      more: 0,
    });
    expect(compared.differences.map((one) => [one.kind, one.name, one.change, one.class])).to.deep.equal([
      ['tool', 'search_code', 'changed', 'note'],
      ['prompt', 'review', 'removed', 'note'],
      ['instructions', '', 'changed', 'held'],
    ]);
  });

  it('compareEntries › finds no difference between equal definitions in another order of keys', () => {
    const reordered = Object.fromEntries(Object.entries(TOOL).toReversed());
    const compared = compareEntries(
      entryWith(DEFINITIONS),
      entryWith({ ...DEFINITIONS, tools: [reordered] }),
    );
    expect(compared).to.deep.include({ class: 'none', differences: [] });
  });

  it('compareEntries › compares nothing when one of the versions publishes no definitions', () => {
    const none = { name: 'io.github.acme/github' };
    expect(compareEntries(none, entryWith(DEFINITIONS))).to.deep.include({
      before: undefined,
      after: 'portolan',
      compared: [],
      class: 'none',
    });
    expect(compareEntries(entryWith(DEFINITIONS), none)).to.deep.include({ compared: [], differences: [] });
  });

  it('compareEntries › compares only the tools when one version has only tool_definitions', () => {
    const extension = { 'ghcr.io/acme/github': { tool_definitions: [TOOL] } };
    const before = { _meta: { [PUBLISHER]: { 'io.github.stacklok': extension } } };
    const compared = compareEntries(before, entryWith({ ...DEFINITIONS, tools: [] }));
    expect(compared).to.deep.include({ before: 'publisher', after: 'portolan', compared: ['tools'] });
    expect(compared.differences.map((one) => one.change)).to.deep.equal(['removed']);
  });

  it('compareEntries › reports unreadable definitions of both versions', () => {
    const compared = compareEntries(
      entryWith({ tools: 'none' }),
      entryWith({ tools: [TOOL, { ...TOOL, description: 'Another one.' }] }),
    );
    expect(compared.faults.map(({ kind, fault }) => [kind, fault])).to.deep.equal([
      ['tool', 'the list is a string, not an array'],
    ]);
    expect(compared.differences.map((one) => one.change)).to.deep.equal(['unreadable']);
  });

  it('compareEntries › returns at most 1,000 differences and counts the others', () => {
    const tools = Array.from({ length: 1100 }, (_, index) => ({ ...TOOL, name: `tool_${index}` }));
    const compared = compareEntries(entryWith({ tools: [] }), entryWith({ tools }));
    expect(compared.differences).to.have.length(1000);
    expect(compared).to.include({ more: 100, class: 'held' });
  });

  it('compareEntries › shortens pointers with names as long as the entry', () => {
    const name = 'n'.repeat(100_000);
    const field = (value: number) => ({
      ...TOOL,
      extra: { [name]: Array.from({ length: 50 }, () => value) },
    });
    const compared = compareEntries(entryWith({ tools: [field(1)] }), entryWith({ tools: [field(2)] }));
    expect(compared.differences[0]?.fields[0]?.pointer).to.equal('/extra');
    expect(JSON.stringify(compared).length).to.be.lessThan(10_000);
  });

  /** Any JSON where definitions are expected, or any JSON in place of some of their parts. */
  const anyEntry = fc.oneof(
    fc.jsonValue().map((definitions) => entryWith(definitions as object)),
    fc
      .record(
        {
          server: fc.oneof(fc.constant(SERVER), fc.jsonValue()),
          tools: fc.oneof(fc.constant([TOOL]), fc.array(fc.oneof(fc.constant(TOOL), fc.jsonValue()))),
          prompts: fc.oneof(fc.constant([PROMPT]), fc.jsonValue()),
          resourceTemplates: fc.jsonValue(),
        },
        { requiredKeys: [] },
      )
      .map(entryWith),
    fc.jsonValue(),
  );

  it('compareEntries › never throws for any JSON', () => {
    fc.assert(
      fc.property(anyEntry, anyEntry, (before, after) => {
        const compared = compareEntries(before, after);
        expect(compared.compared.length === 0 && compared.differences.length > 0).to.equal(false);
      }),
    );
  });

  it('compareEntries › finds no changed or removed item between an entry and its copy', () => {
    fc.assert(
      fc.property(anyEntry, (entry) => {
        const { differences } = compareEntries(entry, structuredClone(entry));
        expect(differences.filter(({ change }) => change !== 'unreadable')).to.deep.equal([]);
      }),
    );
  });
});
