import { mkdir, readdir, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { faultOf } from './fault-of.ts';
import { catalogueOf, GitBench, namesOf, serverOf } from './git-bench.ts';

describe('git source reading', () => {
  let bench: GitBench;

  beforeEach(async () => {
    bench = await GitBench.open();
  });
  afterEach(() => bench.close());

  const textOf = (name: string): string => JSON.stringify(serverOf(name));

  describe('reference', () => {
    it('reads the default branch, a branch, a tag or a commit', async () => {
      const { repository } = bench;
      const first = await repository.commit({ 'registry.json': catalogueOf('first') });
      await repository.tag('v1');
      const second = await repository.commit({ 'registry.json': catalogueOf('second') });
      const side = await repository.commit(
        { 'registry.json': catalogueOf('side') },
        { branch: 'a/side', isNew: true },
      );
      const cases = [
        [{}, second, 'second'],
        [{ branch: 'a/side' }, side, 'side'],
        [{ tag: 'v1' }, first, 'first'],
        [{ commit: first.toUpperCase() }, first, 'first'],
      ] as const;
      for (const [block, commit, name] of cases) {
        const synced = await bench.sync(await bench.source(block));
        expect(synced.fingerprint, name).to.equal(commit);
        expect(namesOf(synced), name).to.deep.equal([`dev.acme/${name}`]);
      }
    });

    it('does not match a reference that only ends with the name', async () => {
      await bench.repository.commit({ 'registry.json': catalogueOf('x') }, { branch: 'refs/heads/main' });
      await bench.repository.commit({ 'registry.json': catalogueOf('x') }, { branch: 'other' });
      const fault = await faultOf(async () => bench.sync(await bench.source({ branch: 'main' })));
      expect(fault).to.include({ code: 'ERR_SOURCE_GIT_REFERENCE' });
      expect(fault.message).to.include('branch "main"');
    });

    it('reads a commit without a reference, with one extra request', async () => {
      const { repository, server } = bench;
      const first = await repository.commit({ 'registry.json': catalogueOf('first') });
      await repository.commit({ 'registry.json': catalogueOf('second') });
      const source = await bench.source({ commit: first });
      expect(namesOf(await bench.sync(source))).to.deep.equal(['dev.acme/first']);
      server.asked.length = 0;
      expect(namesOf(await bench.sync(source))).to.deep.equal(['dev.acme/first']);
      expect(server.asked).to.deep.equal([]);
    });

    for (const filters of [true, false]) {
      it(`reads a past commit when the server offers only tips, and ${filters ? 'can' : 'cannot'} leave files out`, async () => {
        const { repository, server } = bench;
        if (!filters) await repository.git('config', 'uploadpack.allowFilter', 'false');
        const first = await repository.commit({ 'registry.json': catalogueOf('first') });
        await repository.commit({ 'registry.json': catalogueOf('second') });
        const side = await repository.commit({ 'registry.json': catalogueOf('side') }, { branch: 'side' });
        await repository.commit({ 'registry.json': catalogueOf('later') }, { branch: 'side' });
        server.speaksVersion2 = false;
        const source = await bench.source({ commit: first });
        expect(namesOf(await bench.sync(source))).to.deep.equal(['dev.acme/first']);
        server.asked.length = 0;
        expect(namesOf(await bench.sync(source))).to.deep.equal(['dev.acme/first']);
        expect(server.asked, 'of what is kept').to.deep.equal([]);
        expect(namesOf(await bench.sync(await bench.source({ commit: side })))).to.deep.equal([
          'dev.acme/side',
        ]);
      });
    }

    it('reads a past commit only within the limits, and none outside of all branches', async () => {
      const { repository, server } = bench;
      const first = await repository.commit({ 'registry.json': catalogueOf('first') });
      for (let at = 0; at < 9; at += 1) await repository.commit({ 'registry.json': catalogueOf(`x${at}`) });
      const gone = await repository.commit({ 'registry.json': catalogueOf('gone') }, { branch: 'gone' });
      await repository.git('branch', '-D', 'gone');
      server.speaksVersion2 = false;
      const codeOf = async (block: object): Promise<string> =>
        (await faultOf(async () => bench.sync(await bench.source(block)))).code;
      expect(await codeOf({ commit: gone })).to.equal('ERR_SOURCE_GIT_REFERENCE');
      expect(await codeOf({ commit: first, maxObjects: 12 })).to.equal('ERR_SOURCE_TOO_LARGE');
      expect(await bench.processes()).to.deep.equal([]);
    });

    it('reads a repository with SHA-256 object names', async () => {
      await bench.close();
      bench = await GitBench.open({ 'uploadpack.allowFilter': 'true' }, ['--object-format=sha256']);
      const commit = await bench.repository.commit({ 'registry.json': catalogueOf('long') });
      expect(commit).to.have.lengthOf(64);
      expect(namesOf(await bench.sync(await bench.source()))).to.deep.equal(['dev.acme/long']);
    });

    it('reports an empty repository', async () => {
      const fault = await faultOf(async () => bench.sync(await bench.source()));
      expect(fault).to.include({ code: 'ERR_SOURCE_GIT_REFERENCE' });
    });

    it('refuses a tag of a file', async () => {
      await bench.repository.commit({ 'registry.json': catalogueOf('x') });
      await bench.repository.git('tag', 'odd', 'main:registry.json');
      const fault = await faultOf(async () => bench.sync(await bench.source({ tag: 'odd' })));
      expect(fault).to.include({ code: 'ERR_SOURCE_GIT_REFERENCE' });
    });
  });

  describe('path', () => {
    it('reads one file, a catalogue or a server.json', async () => {
      await bench.repository.commit({ 'a/b.json': textOf('one') });
      const { items, revision } = await bench.sync(await bench.source({ path: 'a/b.json' }));
      expect(revision).to.equal((await bench.repository.git('rev-parse', 'main')).trim());
      expect(items).to.deep.equal([{ type: 'server', document: serverOf('one') }]);
    });

    const many = {
      'servers/one.json': JSON.stringify(serverOf('one')),
      'servers/both.json': catalogueOf('two', 'three'),
      'servers/deep/four.json': JSON.stringify(serverOf('four')),
      'servers/.hidden.json': '{',
      'servers/README.md': 'not read',
      'elsewhere/five.json': JSON.stringify(serverOf('five')),
    };

    it('reads every .json file below a folder, each as its own scope', async () => {
      await bench.repository.commit(many);
      const { items } = await bench.sync(await bench.source({ path: 'servers' }));
      expect(items).to.deep.equal([
        {
          type: 'server',
          document: serverOf('two'),
          place: 'servers/both.json: data.servers[0]',
          scope: 'servers/both.json',
        },
        {
          type: 'server',
          document: serverOf('three'),
          place: 'servers/both.json: data.servers[1]',
          scope: 'servers/both.json',
        },
        {
          type: 'server',
          document: serverOf('four'),
          place: 'servers/deep/four.json',
          scope: 'servers/deep/four.json',
        },
        { type: 'server', document: serverOf('one'), place: 'servers/one.json', scope: 'servers/one.json' },
        {
          completeScopes: ['servers/both.json', 'servers/deep/four.json', 'servers/one.json'],
          allScopes: ['servers/both.json', 'servers/deep/four.json', 'servers/one.json'],
        },
      ]);
    });

    it('reads the files that match a pattern', async () => {
      await bench.repository.commit(many);
      const read = async (path: string) => namesOf(await bench.sync(await bench.source({ path })));
      expect(await read('servers/*.json')).to.deep.equal(['dev.acme/two', 'dev.acme/three', 'dev.acme/one']);
      expect(await read('*/{one,five}.json')).to.deep.equal(['dev.acme/five', 'dev.acme/one']);
      expect(await read('.')).to.have.lengthOf(5);
    });

    it('skips and reports links, submodules, and paths below them', async () => {
      const commit = await bench.repository.commit({
        'real/a.json': textOf('real'),
        'link.json': { link: 'real/a.json' },
        passwd: { link: '/etc/passwd' },
        linked: { link: 'real' },
        module: { commit: 'a'.repeat(40) },
      });
      expect(commit).to.have.lengthOf(40);
      for (const path of ['link.json', 'passwd', 'linked/a.json', 'linked', 'module', 'module/a.json']) {
        const fault = await faultOf(async () => bench.sync(await bench.source({ path })));
        expect(fault.code, path).to.equal('ERR_SOURCE_GIT_PATH');
        expect(fault.message, path).to.include('not followed');
      }
      const { items } = await bench.sync(await bench.source({ path: '*' }));
      expect(items.flatMap((item) => ('skipped' in item ? [item.skipped] : []))).to.deep.equal([
        'link.json',
        'linked',
        'module',
        'passwd',
      ]);
    });

    it('reports a missing path, and an empty folder', async () => {
      await bench.repository.commit({ 'registry.json': catalogueOf('x'), 'docs/x.md': 'x' });
      for (const path of ['none.json', 'registry.json/x', 'docs', 'docs/*.json', 'none/*.json']) {
        const fault = await faultOf(async () => bench.sync(await bench.source({ path })));
        expect(fault.code, path).to.equal('ERR_SOURCE_GIT_PATH');
        expect(fault.message, path).to.include(JSON.stringify(path));
      }
    });

    it('skips a broken file by name, and marks no unread scope as complete', async () => {
      await bench.repository.commit({
        's/a.json': textOf('a'),
        's/b.json': '{ "name": ',
        's/c.json': '[1]',
        's/d.json': `{"data":{"servers":[${JSON.stringify(serverOf('d'))},`,
        's/e.json': textOf('e'),
      });
      const synced = await bench.sync(await bench.source({ path: 's/*.json' }));
      const skipped = synced.items.flatMap((item) => ('skipped' in item ? [item] : []));
      expect(skipped.map((item) => [item.skipped, item.scope])).to.deep.equal([
        ['s/b.json', 's/b.json'],
        ['s/c.json', 's/c.json'],
        ['s/d.json', 's/d.json'],
      ]);
      for (const { because } of skipped) expect(because).to.be.a('string').and.not.equal('');
      expect(synced.items.at(-1)).to.deep.equal({
        completeScopes: ['s/a.json', 's/e.json'],
        allScopes: ['s/a.json', 's/b.json', 's/c.json', 's/d.json', 's/e.json'],
      });
      expect(namesOf(synced), 'nothing of what is broken').to.deep.equal(['dev.acme/a', 'dev.acme/e']);
    });

    it('takes nothing from a broken file above the memory limit', async () => {
      const servers = Array.from({ length: 60 }, (_, at) => ({
        ...serverOf(`s${at}`),
        filler: 'x'.repeat(100_000),
      }));
      const whole = JSON.stringify({ data: { servers } });
      await bench.repository.commit({ 's/a.json': whole, 's/b.json': whole.slice(0, -9) });
      const synced = await bench.sync(await bench.source({ path: 's' }));
      const scopes = synced.items.flatMap((item) => ('document' in item ? [item.scope] : []));
      expect(scopes).to.deep.equal(servers.map(() => 's/a.json'));
      expect(synced.items.at(-1)).to.deep.include({ completeScopes: ['s/a.json'] });
    });

    it('fails when its only file is broken', async () => {
      await bench.repository.commit({ 'registry.json': '{ "data": ' });
      const fault = await faultOf(async () => bench.sync(await bench.source()));
      expect(fault.code).to.equal('ERR_CATALOGUE_NOT_JSON');
    });

    it('reads files as stored, without filters, conversions or special names', async () => {
      const odd = 'ä "quoted"\tName [1] *.json';
      await bench.repository.commit({
        '.gitattributes': '* filter=evil text eol=crlf working-tree-encoding=UTF-16\n',
        [`s/${odd}`]: textOf('odd\r\n'),
        's/:(top)x.json': textOf('top'),
      });
      const synced = await bench.sync(await bench.source({ path: 's' }));
      expect(namesOf(synced)).to.deep.equal(['dev.acme/top', 'dev.acme/odd\r\n']);
    });
  });

  describe('cache', () => {
    const bigFiles = Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [`big/${at}.bin`, Buffer.from(randomText(60_000, at))]),
    );

    it('requests only the reference of an unchanged repository, also after a restart', async () => {
      await bench.repository.commit({ 'registry.json': catalogueOf('x') });
      await bench.sync(await bench.source());
      bench.server.asked.length = 0;
      expect(namesOf(await bench.sync(await bench.source()))).to.deep.equal(['dev.acme/x']);
      expect(bench.server.asked.map((line) => line.split('?')[0])).to.deep.equal([
        'GET /catalogue.git/info/refs',
        'POST /catalogue.git/git-upload-pack',
      ]);
    });

    it('omits the contents of unread files, when the server supports filters', async () => {
      await bench.repository.commit({ 'registry.json': catalogueOf('x'), ...bigFiles });
      expect(namesOf(await bench.sync(await bench.source()))).to.deep.equal(['dev.acme/x']);
      expect(await bytesIn(bench.scratch)).to.be.below(60_000);
    });

    it('fetches everything when the server supports no filters', async () => {
      await bench.close();
      bench = await GitBench.open({});
      await bench.repository.commit({ 'registry.json': catalogueOf('x'), ...bigFiles });
      expect(namesOf(await bench.sync(await bench.source()))).to.deep.equal(['dev.acme/x']);
      expect(await bytesIn(bench.scratch)).to.be.above(60_000);
    });

    it('does not fetch the history', async () => {
      await bench.close();
      bench = await GitBench.open({});
      for (let at = 0; at < 5; at += 1)
        await bench.repository.commit({
          'registry.json': catalogueOf('x'),
          'other.bin': randomText(60_000, at),
        });
      await bench.sync(await bench.source());
      expect(await bytesIn(bench.scratch)).to.be.within(40_000, 80_000);
    });

    it('grows only by changed objects', async () => {
      const files = Object.fromEntries(
        Array.from({ length: 50 }, (_, at) => [`s/${at}.json`, `${textOf(`s${at}`)}${' '.repeat(9)}`]),
      );
      await bench.repository.commit(files);
      const source = await bench.source({ path: 's' });
      expect((await bench.sync(source)).items).to.have.lengthOf(51);
      await bench.repository.commit({ 's/7.json': textOf('seven'), 's/8.json': undefined });
      const synced = await bench.sync(source);
      expect(synced.items).to.have.lengthOf(50);
      expect(namesOf(synced)).to.include('dev.acme/seven').and.not.include('dev.acme/s8');
    });

    it('works in a folder whose path contains git option words', async () => {
      const scratch = join(bench.folder, 'certificate, Permission denied, not found');
      await bench.repository.commit({ 'registry.json': catalogueOf('x') });
      await bench.sync(await bench.source(), { scratch });
      await writeFile(join(scratch, 'repository/shallow.lock'), '');
      await bench.repository.commit({ 'registry.json': catalogueOf('y') });
      expect(namesOf(await bench.sync(await bench.source(), { scratch }))).to.deep.equal(['dev.acme/y']);
    });

    const damages: Readonly<Record<string, (folder: string) => Promise<void>>> = {
      'a pack that is cut off': async (folder) => eachPack(folder, (file) => truncate(file, 40)),
      'a pack that is gone': async (folder) => eachPack(folder, (file) => rm(file)),
      'an index that is nonsense': async (folder) =>
        eachPack(folder, (file) => writeFile(file.replace(/pack$/, 'idx'), 'nonsense')),
      'a reference to nothing': async (folder) =>
        writeFile(join(folder, 'refs/portolan/current'), `${'1'.repeat(40)}\n`),
      'no configuration': async (folder) => rm(join(folder, 'config')),
      'a lock that somebody has left': async (folder) => {
        await writeFile(join(folder, 'shallow.lock'), '');
        await rm(join(folder, 'refs/portolan/current'));
      },
      'a configuration of somebody else': async (folder) => writeFile(join(folder, 'config'), '[core'),
      'an empty HEAD': async (folder) => writeFile(join(folder, 'HEAD'), ''),
      'packed references that are nonsense': async (folder) =>
        writeFile(join(folder, 'packed-refs'), 'nonsense'),
      'a list of shallow commits that is nonsense': async (folder) =>
        writeFile(join(folder, 'shallow'), 'nonsense'),
      'what a git that was killed has left': async (folder) => {
        const locks = ['shallow', 'packed-refs', 'HEAD', 'config', 'refs/portolan/current'];
        for (const name of locks) await writeFile(join(folder, `${name}.lock`), '');
        await writeFile(join(folder, 'objects/pack/tmp_pack_x'), 'PACK');
        await mkdir(join(folder, 'objects/pack/tmp_folder'));
      },
      'a folder where a file has to be': async (folder) => {
        for (const name of ['config', 'HEAD', 'refs/portolan/current']) {
          await rm(join(folder, name));
          await mkdir(join(folder, name));
        }
      },
      'a file where a folder has to be': async (folder) => {
        await rm(join(folder, 'objects'), { recursive: true });
        await writeFile(join(folder, 'objects'), '');
        await rm(join(folder, 'refs/portolan/current'));
      },
      'a file in its place': async (folder) => {
        await rm(folder, { recursive: true });
        await writeFile(folder, '');
      },
      'a pack that leads nowhere': async (folder) =>
        symlink('nowhere', join(folder, 'objects/pack/pack-x.pack')),
      'links in a circle': async (folder) => {
        await rm(join(folder, 'objects'), { recursive: true });
        await symlink('objects', join(folder, 'objects'));
      },
      'a pack that is a folder': async (folder) => mkdir(join(folder, 'objects/pack/pack-x.pack')),
    };
    for (const [title, damage] of Object.entries(damages)) {
      it(`fetches again when the cache is damaged: ${title}`, async () => {
        await bench.repository.commit({ 'registry.json': catalogueOf('x') });
        await bench.sync(await bench.source());
        await damage(join(bench.scratch, 'repository'));
        expect(namesOf(await bench.sync(await bench.source()))).to.deep.equal(['dev.acme/x']);
        await bench.repository.commit({ 'registry.json': catalogueOf('y') });
        expect(namesOf(await bench.sync(await bench.source()))).to.deep.equal(['dev.acme/y']);
      });
    }
  });
});

async function eachPack(folder: string, act: (file: string) => Promise<void>): Promise<void> {
  const packs = join(folder, 'objects/pack');
  const names = (await readdir(packs)).filter((name) => name.endsWith('.pack'));
  expect(names).to.have.length.above(0);
  for (const name of names) await act(join(packs, name));
}

async function bytesIn(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true });
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Text that packs badly, the same for each seed. */
function randomText(length: number, seed: number): string {
  let state = seed + 1;
  return Array.from({ length }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return String.fromCharCode(33 + (state % 90));
  }).join('');
}
