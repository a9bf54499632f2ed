import type { EntryFacts } from '@portolan/entry-format';
import {
  describeEntry,
  LATEST_SERVER_SCHEMA,
  PUBLISHER_PROVIDED,
  searchTextOf,
  serverSchemaAddress,
  versionOrderKey,
} from '@portolan/entry-format';
import type { EntryStatus, EntryType } from '@portolan/plugin-api';
import { ENTRY_TYPES } from '@portolan/plugin-api';
import { expect } from 'chai';
import fc from 'fast-check';
import { documentWithPackage, documentWithRemote, serverDocument, skillDocument } from './documents.ts';

const publishedAt = '2026-01-15T08:00:00.000Z';

function factsOf(type: EntryType, document: unknown): EntryFacts {
  const described = describeEntry({ type, document }, 'sync', { publishedAt });
  if (!described.usable) throw new Error(JSON.stringify(described.issues));
  return described.facts;
}

function meta(extensions: unknown, vendor = 'io.github.stacklok'): unknown {
  return { [PUBLISHER_PROVIDED]: { [vendor]: extensions } };
}

describe('describeEntry', () => {
  it('returns the facts of a server', () => {
    const provided = { 'com.acme': { notes: { tags: ['notes', 'text'] } }, note: 'é' };
    const document = serverDocument({ title: 'Notes', _meta: { [PUBLISHER_PROVIDED]: provided } });
    const described = describeEntry({ type: 'server', document }, 'publish', { publishedAt });
    expect(described).to.deep.equal({
      usable: true,
      facts: {
        type: 'server',
        name: 'com.acme/notes',
        version: '2.1.0',
        title: 'Notes',
        description: 'Notes service',
        status: 'active',
        tags: ['notes', 'text'],
        metadataBytes: Buffer.byteLength(JSON.stringify(provided)),
        searchText: 'com.acme/notes\u001Fnotes\u001Fnotes service',
        orderKey: versionOrderKey('2.1.0', publishedAt),
      },
      document,
      issues: [],
    });
    expect(described).to.have.property('document').that.equals(document);
  });

  it('joins namespace and name of skills and plugins', () => {
    for (const type of ['skill', 'plugin'] as const) {
      expect(factsOf(type, skillDocument())).to.include({
        type,
        name: 'com.acme/triage',
        version: '0.3.0',
        title: undefined,
      });
    }
  });

  it('rejects a document with errors and names it', () => {
    const described = describeEntry(
      { type: 'skill', document: skillDocument({ version: 'latest' }) },
      'sync',
      { publishedAt },
    );
    expect(described).to.include({ usable: false, name: 'com.acme/triage' });
    expect(described.issues).to.have.lengthOf(1);
  });

  it('accepts a document with warnings', () => {
    const described = describeEntry(
      { type: 'server', document: documentWithRemote({ url: 'http://localhost/mcp' }) },
      'sync',
      { publishedAt },
    );
    expect(described.usable).to.equal(true);
    expect(described.issues).to.have.lengthOf(1);
  });

  it('converts a snake_case document to the newest form and keeps its status', () => {
    const old = {
      $schema: serverSchemaAddress('2025-07-09'),
      name: 'com.acme/notes',
      description: 'Notes service',
      version: '1.0.0',
      status: 'deprecated',
      packages: [{ registry_type: 'npm', identifier: 'notes', version: '1.0.0' }],
    };
    const described = describeEntry({ type: 'server', document: old }, 'publish', { publishedAt });
    expect(described).to.have.nested.property('document.$schema', LATEST_SERVER_SCHEMA);
    expect(described).to.have.nested.property('facts.status', 'deprecated');
  });

  const statuses: readonly { title: string; type: EntryType; document: unknown; expected: EntryStatus }[] = [
    { title: 'a server without status', type: 'server', document: serverDocument(), expected: 'active' },
    {
      title: 'a server of a catalogue',
      type: 'server',
      document: serverDocument({ _meta: meta({ image: { status: 'Deprecated' } }) }),
      expected: 'deprecated',
    },
    {
      title: 'a server with a lowercase status',
      type: 'server',
      document: serverDocument({ _meta: meta({ image: { status: 'deprecated' } }) }),
      expected: 'deprecated',
    },
    {
      title: 'a server with an unknown status',
      type: 'server',
      document: serverDocument({ _meta: meta({ image: { status: 'odd' } }) }),
      expected: 'active',
    },
    {
      title: 'a server of another vendor',
      type: 'server',
      document: serverDocument({ _meta: meta({ a: { status: 'deprecated' } }, 'com.acme') }),
      expected: 'active',
    },
    {
      title: 'the extension of its package',
      type: 'server',
      document: {
        ...documentWithPackage({ identifier: 'b' }),
        _meta: meta({ a: { status: 'Active' }, b: { status: 'Deprecated' } }),
      },
      expected: 'deprecated',
    },
    {
      title: 'the extension of its remote',
      type: 'server',
      document: {
        ...documentWithRemote(),
        _meta: meta({ a: { status: 'Deprecated' }, 'https://mcp.acme.example/mcp': { status: 'Active' } }),
      },
      expected: 'active',
    },
    {
      title: 'a server with a top-level status',
      type: 'server',
      document: serverDocument({ status: 'deleted' }),
      expected: 'deleted',
    },
    { title: 'a skill without status', type: 'skill', document: skillDocument(), expected: 'active' },
    {
      title: 'a deprecated skill',
      type: 'skill',
      document: skillDocument({ status: 'DEPRECATED' }),
      expected: 'deprecated',
    },
    {
      title: 'an archived plugin',
      type: 'plugin',
      document: skillDocument({ status: 'Archived' }),
      expected: 'archived',
    },
  ];
  for (const { title, type, document, expected } of statuses) {
    it(`returns the status ${expected} for ${title}`, () => {
      expect(factsOf(type, document).status).to.equal(expected);
    });
  }

  const tags = [
    {
      title: 'every vendor and key, each tag once',
      provided: { a: { x: { tags: ['p', 'q'] }, y: { tags: ['q'] } }, b: { z: { tags: ['r'] } } },
      expected: ['p', 'q', 'r'],
    },
    {
      title: 'the second level only',
      provided: { tags: ['p'], a: { tags: ['q'], x: { y: { tags: ['r'] } } } },
      expected: [],
    },
    {
      title: 'strings only',
      provided: { a: { x: { tags: [1, null, 'p', ['q']] }, y: { tags: { r: 1 } } } },
      expected: ['p'],
    },
  ];
  for (const { title, provided, expected } of tags) {
    it(`collects tags of ${title}`, () => {
      expect(
        factsOf('server', serverDocument({ _meta: { [PUBLISHER_PROVIDED]: provided } })).tags,
      ).to.deep.equal(expected);
    });
  }

  it('replaces characters that a text column cannot hold', () => {
    const document = serverDocument({ title: 'a\u0000b', description: 'c\uD800d' });
    const facts = factsOf('server', document);
    expect(facts).to.include({ title: 'a\uFFFDb', description: 'c\uFFFDd' });
    expect(facts.searchText).not.to.contain('\u0000');
  });

  it('never throws on any JSON value', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ENTRY_TYPES),
        fc.jsonValue(),
        fc.dictionary(fc.string(), fc.jsonValue()),
        (type, document, _meta) => {
          expect(describeEntry({ type, document }, 'sync', { publishedAt }).usable).to.equal(false);
          const base = type === 'server' ? serverDocument() : skillDocument();
          expect(
            describeEntry({ type, document: { ...base, _meta } }, 'sync', { publishedAt }),
          ).to.have.property('issues');
        },
      ),
    );
  });
});

describe('searchTextOf', () => {
  it('joins name, title and description in lowercase', () => {
    expect(searchTextOf('com.Acme/Notes', 'Große NOTIZEN', 'ÄÖ')).to.equal(
      'com.acme/notes\u001Fgroße notizen\u001Fäö',
    );
    expect(searchTextOf('a/b', undefined, 'c')).to.equal('a/b\u001F\u001Fc');
  });
});
