import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { convertCatalogueFile } from '../../src/lookup/convert-catalogue-file.ts';
import { findServer } from '../../src/lookup/find-server.ts';
import { caught } from '../../../../test/support/caught.ts';
import { lookupContext } from '../support/lookup-context.ts';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';

const LEGACY = JSON.stringify({
  last_updated: '2026-08-01T00:00:00Z',
  servers: { fetch: { image: 'ghcr.io/acme/fetch:1', transport: 'stdio' }, broken: {} },
  remote_servers: {
    maps: { url: 'https://maps.acme.example/mcp', transport: 'streamable-http', description: 'Maps' },
  },
  groups: {},
});

describe('convertCatalogueFile', () => {
  const folders = new TemporaryFolders();
  let file = '';
  let folder = '';

  beforeEach(async () => {
    folder = await folders.make();
    file = path.join(folder, 'registry.json');
    await writeFile(file, LEGACY);
  });
  afterEach(() => folders.removeAll());

  const clock = (): Date => new Date('2026-11-21T10:00:00Z');
  const write = async (to: string, text: string): Promise<void> => await writeFile(to, text);

  it('writes an equivalent catalogue, and reports what it omits', async () => {
    const to = path.join(folder, 'upstream.json');
    const found = async (localRegistryPath: string): Promise<unknown> => {
      const server = await findServer('maps', lookupContext(folder, { localRegistryPath }));
      return server.isFound ? [server.name, server.document] : undefined;
    };
    const { servers, notes, backup } = await convertCatalogueFile(file, {
      to,
      keepsBackup: false,
      clock,
      write,
    });
    expect({ servers, backup }).to.deep.equal({ servers: 2, backup: undefined });
    expect(notes.join(' ')).to.contain('servers.broken').and.contain('groups');
    const written: unknown = JSON.parse(await readFile(to, 'utf8'));
    expect(written).to.have.nested.property('meta.last_updated', '2026-08-01T00:00:00Z');
    expect(await found(to)).to.deep.equal(await found(file));
    expect(await readFile(file, 'utf8')).to.equal(LEGACY);
  });

  it('keeps a backup of the file that it overwrites, and keeps older backups', async () => {
    const { backup = '' } = await convertCatalogueFile(file, { to: file, keepsBackup: true, clock, write });
    expect(backup).to.equal(`${file}.bak`);
    expect(await readFile(backup, 'utf8')).to.equal(LEGACY);
    await writeFile(file, LEGACY.replace('fetch:1', 'fetch:2'));
    const error = await caught(() =>
      convertCatalogueFile(file, { to: file, keepsBackup: true, clock, write }),
    );
    expect(error).to.include({ code: 'ERR_NAMED_FILE' });
    expect(await readFile(backup, 'utf8')).to.equal(LEGACY);
  });

  const UPSTREAM = '{ "data": {"servers":[ {} ]} }';

  it('reports a catalogue of the upstream format, and writes nothing', async () => {
    await writeFile(file, UPSTREAM);
    const { backup, servers, notes } = await convertCatalogueFile(file, {
      to: file,
      keepsBackup: true,
      clock,
      write,
    });
    expect({ backup, servers }).to.deep.equal({ backup: undefined, servers: 1 });
    expect(notes.join(' ')).to.contain('upstream format already');
    expect(await readFile(file, 'utf8')).to.equal(UPSTREAM);
  });

  it('copies a catalogue of the upstream format to another file', async () => {
    const to = path.join(folder, 'upstream.json');
    await convertCatalogueFile('standard input', { text: UPSTREAM, to, keepsBackup: false, clock, write });
    expect(await readFile(to, 'utf8')).to.equal(UPSTREAM);
  });

  for (const [title, text] of [
    ['no JSON', '{'],
    ['no catalogue', '{"hello": 1}'],
  ] as const) {
    it(`rejects a file that is ${title}, and changes nothing`, async () => {
      await writeFile(file, text);
      const error = await caught(() =>
        convertCatalogueFile(file, { to: file, keepsBackup: true, clock, write }),
      );
      expect(error).to.include({ code: 'ERR_NAMED_FILE' });
      expect(await readFile(file, 'utf8')).to.equal(text);
    });
  }
});
