import { once } from 'node:events';
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Source } from '@portolan/plugin-api';
import {
  createTestContext,
  inTime,
  leavesNothingOpen,
  readContext,
  sourceContract,
} from '@portolan/plugin-testing';
import { expect } from 'chai';
import { fileSource } from '../src/index.ts';
import { catalogueText, ENTRIES } from './catalogue-text.ts';
import { faultOf } from './fault-of.ts';
import { readEntries } from './read-entries.ts';

describe('file source with path', () => {
  const { signal } = new AbortController();
  let folder: string;
  let file: string;
  let revision: number;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'portolan-path-'));
    file = join(folder, 'catalogue.json');
    revision = 0;
    await writeFile(file, catalogueText(revision));
  });
  afterEach(async () => {
    await rm(folder, { recursive: true });
  });

  async function openSource(path = 'catalogue.json'): Promise<Source> {
    return fileSource.create({ path }, createTestContext({ directory: folder }));
  }

  async function writeNext(): Promise<void> {
    revision += 1;
    await writeFile(file, catalogueText(revision));
  }

  sourceContract({
    name: 'file with path',
    kind: fileSource,
    create: (context) => fileSource.create({ path: file }, context),
    entries: ENTRIES,
    change: writeNext,
    spoil: () => rm(file),
  });

  it("resolves a relative path from the configuration's folder", async () => {
    expect(await readEntries(await openSource('./catalogue.json'))).to.have.lengthOf(3);
  });

  it('yields the place of each entry', async () => {
    const places = (await readEntries(await openSource())).map((item) =>
      'place' in item ? item.place : undefined,
    );
    expect(places).to.deep.equal(['data.servers[0]', 'data.servers[1]', 'data.skills[0]']);
  });

  it('uses the SHA-256 of the bytes as the fingerprint', async () => {
    await writeFile(file, 'abc');
    expect(await (await openSource()).fingerprint?.(signal, readContext())).to.equal(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });

  it('reads a file larger than one chunk', async () => {
    const servers = Array.from({ length: 2000 }, (_, index) => ({
      name: `dev.acme/s${index}`,
      description: 'ä'.repeat(90),
      version: '1.0.0',
    }));
    await writeFile(file, JSON.stringify({ data: { servers } }));
    const documents = (await readEntries(await openSource())).map(
      (item) => 'document' in item && item.document,
    );
    expect(documents).to.deep.equal(servers);
  });

  it('fails when the bytes differ from the fingerprint', async () => {
    const source = await openSource();
    await source.fingerprint?.(signal, readContext());
    await writeNext();
    const fault = await faultOf(() => readEntries(source));
    expect(fault.code).to.equal('ERR_SOURCE_FILE_CHANGED');
    expect(await readEntries(source), 'the next time').to.have.lengthOf(3);
  });

  it('closes the file when reading is aborted', async () => {
    const stop = new AbortController();
    await leavesNothingOpen(async () => {
      const source = await openSource();
      const reading = (async () => {
        for await (const _ of source.readEntries(stop.signal, readContext())) stop.abort();
      })();
      expect(await reading.catch((error: unknown) => error)).to.have.property('name', 'AbortError');
    });
  });

  it('reports a change between reading and watching', async () => {
    const source = await openSource();
    await readEntries(source);
    await writeNext();
    const stop = new AbortController();
    const watch = source.watch?.(stop.signal)[Symbol.asyncIterator]();
    await inTime('a sign of the change', Promise.resolve(watch?.next()));
    stop.abort();
    expect(await watch?.next()).to.deep.equal({ done: true, value: undefined });
  });

  describe('refusals', () => {
    const cases = [
      {
        title: 'a file that does not exist',
        path: './gone.json',
        prepare: () => undefined,
        code: 'ERR_SOURCE_FILE_MISSING',
        message: 'The catalogue file "./gone.json" does not exist.',
      },
      {
        title: 'a path through a file',
        path: 'catalogue.json/deep.json',
        prepare: () => undefined,
        code: 'ERR_SOURCE_FILE_MISSING',
        message: 'The catalogue file "catalogue.json/deep.json" does not exist.',
      },
      {
        title: 'a folder',
        path: 'sub',
        prepare: () => mkdir(join(folder, 'sub')),
        code: 'ERR_SOURCE_FILE_UNREADABLE',
        message: 'Found a folder at "sub"; expected a file.',
      },
      {
        title: 'a link that leads to itself',
        path: 'loop.json',
        prepare: () => symlink('loop.json', join(folder, 'loop.json')),
        code: 'ERR_SOURCE_FILE_UNREADABLE',
        message: 'The catalogue file "loop.json" cannot be read (ELOOP).',
      },
    ];
    for (const { title, path, prepare, code, message } of cases) {
      it(title, async () => {
        await prepare();
        const source = await openSource(path);
        for (const action of [() => readEntries(source), () => source.fingerprint?.(signal, readContext())]) {
          const fault = await faultOf(action);
          expect({ code: fault.code, message: fault.message }).to.deep.equal({ code, message });
          expect(fault.message + fault.hint, 'absolute path').to.not.include(folder);
        }
      });
    }

    it('refuses a socket, without waiting for its peer', async () => {
      const server = createServer().listen(join(folder, 'socket.json'));
      await once(server, 'listening');
      const source = await openSource('socket.json');
      const fault = await faultOf(() => readEntries(source));
      server.close();
      expect(fault.message).to.equal('Found a device, pipe or socket at "socket.json"; expected a file.');
    });

    it('refuses text that is not a catalogue', async () => {
      await writeFile(file, '{"data": {"servers": [');
      const source = await openSource();
      expect((await faultOf(() => readEntries(source))).code).to.match(/^ERR_CATALOGUE_/);
    });
  });

  it('reads again after the file came back', async () => {
    const source = await openSource();
    await rename(file, `${file}.away`);
    await faultOf(() => readEntries(source));
    await rename(`${file}.away`, file);
    expect(await readEntries(source)).to.have.lengthOf(3);
  });
});
