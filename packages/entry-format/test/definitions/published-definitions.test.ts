import { expect } from 'chai';
import { publishDefinitions, readPublishedDefinitions } from '../../src/index.ts';

const PUBLISHER = 'io.modelcontextprotocol.registry/publisher-provided';
const IMAGE = 'ghcr.io/acme/notes:1.0.0';
const TOOL = { name: 'search', description: 'Searches notes.', inputSchema: { type: 'object' } };

function entryWith(publisher: object): Record<string, unknown> {
  return {
    name: 'io.github.acme/notes',
    packages: [{ registryType: 'oci', identifier: IMAGE }],
    _meta: { [PUBLISHER]: publisher },
  };
}

function withOwn(definitions: unknown): Record<string, unknown> {
  return entryWith({ 'dev.portolan': { definitions } });
}

describe('published definitions', () => {
  it('readPublishedDefinitions › returns what publishDefinitions wrote and keeps other metadata', () => {
    const server = {
      name: 'notes',
      version: '1.0.0',
      capabilities: { tools: {} },
      instructions: 'Search first.',
    };
    const lists = { tools: [TOOL], prompts: [{ name: 'review' }], templates: [{ uriTemplate: 'n://{id}' }] };
    const before = entryWith({ 'com.acme': { tags: { tags: ['notes'] } }, 'dev.portolan': { other: 1 } });
    const document = publishDefinitions(before, { ...lists, server });
    expect(readPublishedDefinitions(document)).to.deep.equal({
      from: 'portolan',
      ...lists,
      server,
      faults: [],
    });
    expect(document['_meta']).to.deep.equal({
      [PUBLISHER]: {
        'com.acme': { tags: { tags: ['notes'] } },
        'dev.portolan': {
          other: 1,
          definitions: {
            server,
            tools: lists.tools,
            prompts: lists.prompts,
            resourceTemplates: lists.templates,
          },
        },
      },
    });
    expect(before).to.not.have.nested.property(
      `_meta.${PUBLISHER.replaceAll('.', '\\.')}.dev\\.portolan.definitions`,
    );
  });

  it('publishDefinitions › writes into a document whose _meta is missing or malformed', () => {
    for (const meta of [undefined, null, 'text', [], { [PUBLISHER]: 5 }]) {
      const document = publishDefinitions(
        { name: 'a/b', _meta: meta },
        { tools: [TOOL], prompts: undefined, templates: undefined, server: undefined },
      );
      expect(readPublishedDefinitions(document)).to.deep.include({ tools: [TOOL], prompts: undefined });
    }
  });

  it('readPublishedDefinitions › reads tool_definitions under the key of the package that runs', () => {
    const other = { ...TOOL, name: 'other' };
    const document = entryWith({
      'io.github.stacklok': {
        'ghcr.io/acme/other': { tool_definitions: [other] },
        [IMAGE]: { tool_definitions: [TOOL] },
      },
    });
    const own = readPublishedDefinitions(document);
    expect(own).to.deep.include({ from: 'publisher', tools: [TOOL], prompts: undefined, server: undefined });
    expect(readPublishedDefinitions(document, ['ghcr.io/acme/other'])).to.deep.include({ tools: [other] });
  });

  it('readPublishedDefinitions › prefers the definitions of Portolan over those of the publisher', () => {
    const document = entryWith({
      'io.github.stacklok': { [IMAGE]: { tool_definitions: [{ name: 'old' }] } },
      'dev.portolan': { definitions: { tools: [TOOL] } },
    });
    expect(readPublishedDefinitions(document)).to.deep.include({ from: 'portolan', tools: [TOOL] });
  });

  const ABSENT: readonly (readonly [string, unknown])[] = [
    ['a document without _meta', { name: 'a/b' }],
    ['a value that is no document', 'text'],
    ['null instead of definitions', withOwn(null)],
    [
      'an empty list of the publisher',
      entryWith({ 'io.github.stacklok': { [IMAGE]: { tool_definitions: [] } } }),
    ],
    ['an extension that is a list', entryWith({ 'io.github.stacklok': [[]] })],
    ['inherited members', entryWith({ 'dev.portolan': Object.create({ definitions: { tools: [TOOL] } }) })],
  ];
  for (const [title, document] of ABSENT)
    it(`readPublishedDefinitions › returns undefined for ${title}`, () => {
      expect(readPublishedDefinitions(document)).to.equal(undefined);
    });

  const FAULTS: readonly (readonly [string, unknown, readonly string[]])[] = [
    ['definitions that are a text', 'none', ['tools', 'prompts', 'templates']],
    ['a list that is an object', { tools: { search: TOOL }, prompts: [] }, ['tools']],
    ['a list that is null', { tools: [TOOL], resourceTemplates: null }, ['templates']],
    ['a list of too many items', { tools: Array.from({ length: 10_001 }, () => TOOL) }, ['tools']],
    ['a server without capabilities', { tools: [], server: { name: 'x' } }, ['server']],
    ['a server that is a list', { tools: [], server: [] }, ['server']],
  ];
  for (const [title, definitions, parts] of FAULTS)
    it(`readPublishedDefinitions › reports a fault and approves nothing for ${title}`, () => {
      const published = readPublishedDefinitions(withOwn(definitions));
      expect(published?.faults.map(({ part }) => part)).to.deep.equal(parts);
      for (const part of parts)
        expect(Reflect.get(Object(published), part)).to.deep.equal(part === 'server' ? undefined : []);
    });

  it('readPublishedDefinitions › reports tool_definitions of the publisher that are no list', () => {
    const document = entryWith({ 'io.github.stacklok': { [IMAGE]: { tool_definitions: 'search' } } });
    expect(readPublishedDefinitions(document)).to.deep.include({
      tools: [],
      faults: [{ part: 'tools', fault: 'the list is a string, not an array' }],
    });
  });
});
