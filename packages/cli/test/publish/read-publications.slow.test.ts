import { expect } from 'chai';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import type { EntryType } from '@portolan/plugin-api';
import { readPublications } from '../../src/publish/read-publications.ts';

const SERVER = { name: 'com.acme/notes', description: 'Notes.', version: '1.0.0-beta.1' };
const SKILL = { namespace: 'com.acme', name: 'triage', description: 'Sorts.', version: '1.0.0' };

describe('readPublications', () => {
  const nothing = Readable.from([]);
  let folder: string;
  let file: string;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-publications-'));
    file = path.join(folder, 'file.json');
  });
  after(async () => {
    await rm(folder, { recursive: true, force: true });
  });
  const read = async (content: unknown, type?: EntryType) => {
    await writeFile(
      file,
      typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content),
    );
    return await readPublications(file, { type, stdin: nothing });
  };

  const documents = [
    { title: 'a server', content: SERVER, type: 'server' },
    {
      title: 'a skill by members that only skills have',
      content: { ...SKILL, allowedTools: [] },
      type: 'skill',
    },
    {
      title: 'a skill by its schema',
      content: { ...SKILL, $schema: 'https://acme.example/skill.json' },
      type: 'skill',
    },
    {
      title: 'a plugin by its schema',
      content: { ...SKILL, $schema: 'https://acme.example/plugin.json' },
      type: 'plugin',
    },
    { title: 'a plugin by the given type', content: SKILL, said: 'plugin', type: 'plugin' },
  ] as const;
  for (const { title, content, type, ...rest } of documents) {
    it(`recognizes ${title}`, async () => {
      const { from, entries } = await read(content, 'said' in rest ? rest.said : undefined);
      expect(from).to.equal('document');
      expect(entries).to.deep.equal([{ type, document: content, place: '' }]);
    });
  }

  it('reads a file that begins with a byte order mark', async () => {
    expect((await read(`\uFEFF${JSON.stringify(SERVER)}`)).entries).to.have.length(1);
  });

  it('reads standard input for "-"', async () => {
    const stdin = Readable.from([JSON.stringify(SERVER)]);
    expect((await readPublications('-', { type: undefined, stdin })).entries).to.have.length(1);
  });

  const catalogue = { version: '1.0.0', data: { servers: [SERVER, SERVER], skills: [SKILL], plugins: null } };

  it('returns every entry of a catalogue with its place', async () => {
    const { from, entries } = await read(catalogue);
    expect(from).to.equal('catalogue');
    expect(entries.map(({ place }) => place)).to.deep.equal([
      'data.servers[0]',
      'data.servers[1]',
      'data.skills[0]',
    ]);
  });

  it('returns only the entries of the given type', async () => {
    expect((await read(catalogue, 'skill')).entries.map(({ place }) => place)).to.deep.equal([
      'data.skills[0]',
    ]);
  });

  it('converts a catalogue in the legacy format', async () => {
    const { entries } = await read({
      servers: { fetch: { image: 'acme.example/fetch:1', description: 'Fetches.' } },
    });
    expect(entries[0]).to.have.nested.property('document.name', 'io.github.stacklok/fetch');
  });

  it('returns unreadable items of a catalogue with the reason', async () => {
    let deep: unknown = 'x';
    for (let level = 0; level < 80; level += 1) deep = [deep];
    const { entries } = await read({ data: { servers: [{ ...SERVER, _meta: { deep } }] } });
    expect(entries).to.deep.equal([
      { place: 'data.servers[0]', because: 'The entry is nested deeper than 64 levels.' },
    ]);
  });

  const bad = [
    { title: 'invalid JSON, with its place', content: '{\n  "name": tru\n}', says: 'line 2, column 14' },
    { title: 'an empty file', content: '', says: 'it is empty' },
    { title: 'a file of white space', content: ' \n', says: 'it is empty' },
    { title: 'a word', content: 'nope', says: 'it is not JSON' },
    { title: 'YAML', content: 'name: com.acme/notes\n', says: 'it is not JSON' },
    { title: 'an HTML page', content: '<html></html>', says: 'not JSON' },
    { title: 'a truncated file', content: '{"data": {"servers": [', says: 'not JSON' },
    { title: 'a truncated list', content: '[{', says: 'it is not JSON' },
    { title: 'text after the end', content: '{"name": "x"} {', says: 'not JSON' },
    { title: 'null', content: 'null', says: 'it is not a JSON object' },
    { title: 'a list', content: [SERVER], says: 'it is not a JSON object' },
    { title: 'a text', content: '"notes"', says: 'it is not a JSON object' },
    { title: 'an entry that may be a skill or a plugin', content: SKILL, says: 'a skill or a plugin' },
    { title: 'a catalogue without entries', content: { data: { servers: [] } }, says: 'without entries' },
    {
      title: 'a catalogue without entries of the type',
      content: catalogue,
      type: 'plugin',
      says: 'without plugins',
    },
    {
      title: 'a catalogue of an unknown version',
      content: { ...catalogue, version: 'x' },
      says: 'three numbers',
    },
    { title: 'a file that is not UTF-8', content: Buffer.from([0x22, 0xff, 0x22]), says: 'it is not UTF-8' },
  ] as const;
  for (const { title, content, says, ...rest } of bad) {
    it(`rejects ${title}`, async () => {
      const error = await read(content, 'type' in rest ? rest.type : undefined).catch(
        (reason: unknown) => reason,
      );
      expect(error).to.have.property('code', 'ERR_ENTRY_FILE');
      expect(String(error)).to.include(`${file} cannot be published`).and.to.include(says);
      expect(String(error)).not.to.match(/catalogue is (?!not JSON)/);
    });
  }

  it('reports why a file is unreadable', async () => {
    const error = await readPublications(folder, { type: undefined, stdin: nothing }).catch(String);
    expect(error).to.include('it is a folder');
  });
});
