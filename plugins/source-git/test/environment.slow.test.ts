import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { createRecordingLogger, inTime, readContext } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { faultOf } from './fault-of.ts';
import { git } from './git-command.ts';
import { catalogueOf, GitBench, namesOf } from './git-bench.ts';

const PASSWORD = 'p4ss:wörd "with\' $everything';

describe('git source environment', () => {
  let bench: GitBench;

  beforeEach(async () => {
    bench = await GitBench.open();
    await bench.repository.commit({ 'registry.json': catalogueOf('x') });
  });
  afterEach(() => bench.close());

  describe('password', () => {
    const auth = { username: 'reader', passwordFile: 'password' };

    beforeEach(async () => {
      bench.server.login = { username: 'reader', password: PASSWORD };
      await writeFile(join(bench.folder, 'password'), `  ${PASSWORD}\n`);
    });

    it('is read from its file, trimmed, at every sync', async () => {
      const source = await bench.source({ auth });
      expect(namesOf(await bench.sync(source))).to.deep.equal(['dev.acme/x']);
      bench.server.login = { username: 'reader', password: 'another' };
      await writeFile(join(bench.folder, 'password'), 'another');
      await bench.repository.commit({ 'registry.json': catalogueOf('y') });
      expect(namesOf(await bench.sync(source))).to.deep.equal(['dev.acme/y']);
    });

    it('never appears in an argument, variable, file, log or message', async () => {
      const seen: string[] = [];
      bench.server.intervene = async () => {
        seen.push(...(await everythingOfProcesses(bench.scratch)));
        return false;
      };
      const logger = createRecordingLogger();
      await bench.sync(await bench.source({ auth }, { logger }));
      expect(seen.join(''), 'git at work').to.include('remote-http');
      bench.server.login = { username: 'reader', password: 'another' };
      const fault = await faultOf(async () => bench.sync(await bench.source({ auth }, { logger })));
      expect(fault.code).to.equal('ERR_SOURCE_DENIED');
      const told = [...seen, ...(await everythingBelow(bench.scratch)), JSON.stringify(logger), print(fault)];
      for (const secret of [PASSWORD, 'p4ss', Buffer.from(`reader:${PASSWORD}`).toString('base64')])
        expect(
          told.some((text) => text.includes(secret)),
          secret,
        ).to.equal(false);
    });

    it('does not appear in the log when the server echoes it', async () => {
      const encoded = Buffer.from(`reader:${PASSWORD}`).toString('base64');
      bench.server.intervene = (request, response) => {
        if (request.method !== 'POST') return false;
        const text = Buffer.from(`ERR you said ${PASSWORD} ${encoded}\n`);
        const length = (text.length + 4).toString(16).padStart(4, '0');
        response.setHeader('content-type', 'application/x-git-upload-pack-result');
        response.end(Buffer.concat([Buffer.from(length), text]));
        return true;
      };
      const said = print(await faultOf(async () => bench.sync(await bench.source({ auth }))));
      expect(said).to.include('you said').and.not.include('p4ss').and.not.include(encoded);
    });

    it('is never prompted for', async () => {
      const fault = await faultOf(async () => bench.sync(await bench.source()));
      expect(fault.code).to.equal('ERR_SOURCE_DENIED');
    });

    const FILES: Readonly<Record<string, string>> = {
      'which is empty': ' \n',
      'of two lines': 'a\nhost=evil',
      'that is larger than any password': 'x'.repeat(70_000),
    };
    for (const [title, text] of Object.entries(FILES)) {
      it(`is not read from a file ${title}`, async () => {
        await writeFile(join(bench.folder, 'password'), text);
        const fault = await faultOf(async () => bench.sync(await bench.source({ auth })));
        expect(fault.code).to.equal('ERR_SOURCE_CREDENTIAL_FILE');
        expect(bench.server.asked).to.deep.equal([]);
      });
    }

    it('is not read from a device or a pipe', async () => {
      for (const passwordFile of ['/dev/zero', '/dev/stdin', '/']) {
        const source = await bench.source({ auth: { username: 'reader', passwordFile } });
        const fault = await faultOf(() => bench.sync(source));
        expect([fault.code, fault.message]).to.deep.equal([
          'ERR_SOURCE_CREDENTIAL_FILE',
          'The file of `auth.passwordFile` is not a file.',
        ]);
      }
    });
  });

  describe('installed git', () => {
    it('ignores settings, hooks, helpers and variables of git', async () => {
      const { folder } = bench;
      const home = join(folder, 'home');
      const told = join(folder, 'told');
      const evil = join(folder, 'evil');
      await mkdir(join(home, '.config/git'), { recursive: true });
      await writeFile(evil, `#!/bin/sh\necho "$0 $*" >> ${told}\n`);
      await chmod(evil, 0o700);
      const settings = `[url "http://127.0.0.1:1/"]\n\tinsteadOf = http://\n[core]\n\taskPass = ${evil}\n\tsshCommand = ${evil}\n\thooksPath = ${folder}\n\tfsmonitor = ${evil}\n[credential]\n\thelper = ${evil}\n[http]\n\tproxy = http://127.0.0.1:1\n`;
      await writeFile(join(home, '.gitconfig'), settings);
      await writeFile(join(home, '.config/git/config'), settings);
      const environment = {
        PATH: process.env['PATH'],
        HOME: home,
        XDG_CONFIG_HOME: join(home, '.config'),
        GIT_CONFIG_GLOBAL: join(home, '.gitconfig'),
        GIT_CONFIG_SYSTEM: join(home, '.gitconfig'),
        GIT_CONFIG_COUNT: '1',
        GIT_CONFIG_KEY_0: 'url.http://127.0.0.1:1/.insteadOf',
        GIT_CONFIG_VALUE_0: 'http://',
        GIT_ASKPASS: evil,
        SSH_ASKPASS: evil,
        GIT_SSH: evil,
        GIT_SSH_COMMAND: evil,
        GIT_PROXY_COMMAND: evil,
        GIT_TRACE: told,
        GIT_TRACE_CURL: told,
        GIT_DIR: folder,
        GIT_ALLOW_PROTOCOL: 'ext:file',
        GIT_EXEC_PATH: folder,
        GIT_TEMPLATE_DIR: folder,
        http_proxy: 'http://127.0.0.1:1',
      };
      expect(namesOf(await bench.sync(await bench.source({}, { environment })))).to.deep.equal([
        'dev.acme/x',
      ]);
      expect(await readdir(folder)).to.not.include('told');
    });

    const SLOW: Readonly<Record<string, string>> = {
      'that lists nothing': 'ls-tree*) exec sleep 600',
      'that does not say what is there': '"cat-file --batch-check") exec sleep 600',
      'that hands out nothing': '"cat-file --batch") exec sleep 600',
      'that hands out a file without end':
        '"cat-file --batch") read -r object; echo "$object blob 3000000000000"; exec yes',
    };
    for (const [title, act] of Object.entries(SLOW)) {
      it(`ends a git ${title} at the timeout`, async () => {
        const { folder, repository } = bench;
        // A commit that is at hand is read without asking the server.
        const commit = await repository.commit({
          's/a.json': catalogueOf('a'),
          's/b.json': catalogueOf('b'),
        });
        const block = { commit, path: 's' };
        expect(namesOf(await bench.sync(await bench.source(block)))).to.deep.equal([
          'dev.acme/a',
          'dev.acme/b',
        ]);
        const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
        await mkdir(join(folder, 'bin'));
        await writeFile(
          join(folder, 'bin/git'),
          `#!/bin/sh\ncase "$*" in ${act};; esac\nexec '${real}' "$@"\n`,
          { mode: 0o700 },
        );
        const environment = { PATH: `${join(folder, 'bin')}:${process.env['PATH']}` };
        const slow = await bench.source({ ...block, timeout: '500ms' }, { environment });
        const fault = await faultOf(() => bench.sync(slow));
        expect(fault.code).to.equal('ERR_SOURCE_TIMEOUT');
        expect(fault.message).to.include('did not read the fetched repository within 0.5 s');
        expect(await bench.processes()).to.deep.equal([]);
        expect(namesOf(await bench.sync(await bench.source(block))), 'what is kept').to.have.lengthOf(2);
      });
    }

    it('reports a full disk at once, removes what filled it, and reads when there is space', async () => {
      const { folder, repository, server } = bench;
      await repository.commit({ 'registry.json': catalogueOf('y') });
      const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
      await mkdir(join(folder, 'bin'));
      const full = "echo 'fatal: write error: No space left on device' >&2; exit 128";
      const script = `#!/bin/sh\ncase "$*" in fetch*) ${full};; esac\nexec '${real}' "$@"\n`;
      await writeFile(join(folder, 'bin/git'), script, { mode: 0o700 });
      const environment = { PATH: `${join(folder, 'bin')}:${process.env['PATH']}` };
      const source = await bench.source({}, { environment });
      const fault = await faultOf(() => bench.sync(source));
      expect([fault.code, fault.message]).to.deep.equal([
        'ERR_SOURCE_GIT_DISK_FULL',
        'There is not enough disk space for the repository.',
      ]);
      expect(await readdir(bench.scratch), 'what is left').to.deep.equal([]);
      expect(
        server.asked.filter((line) => line.startsWith('POST')),
        'asked for its references alone',
      ).to.have.lengthOf(1);
      await writeFile(join(folder, 'bin/git'), `#!/bin/sh\nexec '${real}' "$@"\n`, { mode: 0o700 });
      expect(namesOf(await bench.sync(source))).to.deep.equal(['dev.acme/y']);
    });

    it('checks the installed git at the start: refuses the source when it is missing or too old', async () => {
      const create = async (folder: string) => bench.source({}, { environment: { PATH: folder } });
      // A search path whose git is good is not asked again: one for each.
      const says = async (version: string): Promise<string> => {
        const folder = await mkdtemp(join(bench.folder, 'bin-'));
        await writeFile(
          join(folder, 'git'),
          `#!/bin/sh\necho once >> "$0.asked"\necho 'git version ${version}'\n`,
        );
        await chmod(join(folder, 'git'), 0o700);
        return folder;
      };
      const asked = async (folder: string): Promise<number> =>
        (await readFile(join(folder, 'git.asked'), 'utf8')).trim().split('\n').length;
      const nothing = await mkdtemp(join(bench.folder, 'bin-'));
      expect((await faultOf(async () => create(nothing))).code).to.equal('ERR_SOURCE_GIT_MISSING');
      for (const version of ['2.36.9', '1.99.0', 'nothing']) {
        const folder = await says(version);
        for (const time of [1, 2]) {
          const fault = await faultOf(async () => create(folder));
          expect(fault.code, version).to.equal('ERR_SOURCE_GIT_MISSING');
          expect(await asked(folder), 'asked again, since it may have been replaced').to.equal(time);
        }
      }
      for (const version of ['2.37.0', '2.39.5 (Apple Git-154)', '3.0.0.rc1']) {
        const folder = await says(version);
        for (const _ of [1, 2]) await (await create(folder)).close?.();
        expect(
          await asked(folder),
          `${version}: a process for each source would keep readers waiting`,
        ).to.equal(1);
      }
    });
  });

  describe('limits', () => {
    it('refuse more than `maxObjects` objects after the fetch, and remove them', async () => {
      const files = Object.fromEntries(
        Array.from({ length: 60 }, (_, at) => [`s/${at}.json`, `{"a":${at}}`]),
      );
      await bench.repository.commit(files);
      const fault = await faultOf(async () => bench.sync(await bench.source({ path: 's', maxObjects: 50 })));
      expect(fault.code).to.equal('ERR_SOURCE_TOO_LARGE');
      expect(fault.message).to.include('50 objects');
      expect(await bench.processes()).to.deep.equal([]);
      expect(await readdir(bench.scratch), 'the scratch folder').to.deep.equal([]);
    });

    it('refuse a tree of ten levels in which few objects name billions of files', async () => {
      const { folder } = bench.repository;
      const blob = await git(folder, ['hash-object', '-w', '--stdin'], '{}');
      let tree = await git(folder, ['mktree'], `100644 blob ${blob}\ta.json\n`);
      for (let depth = 0; depth < 10; depth += 1) {
        const lines = Array.from({ length: 10 }, (_, at) => `040000 tree ${tree}\t${at}\n`);
        tree = await git(folder, ['mktree'], lines.join(''));
      }
      const commit = await git(folder, ['commit-tree', '-m', 'bomb', tree]);
      await git(folder, ['update-ref', 'refs/heads/main', commit]);
      const fault = await faultOf(async () => bench.sync(await bench.source({ path: '.' })));
      expect(fault.code).to.equal('ERR_SOURCE_TOO_LARGE');
      expect(await bench.processes()).to.deep.equal([]);
    });

    it('count each path of a repeated object for `maxObjects`', async () => {
      const { folder } = bench.repository;
      const blob = await git(folder, ['hash-object', '-w', '--stdin'], '{}');
      let tree = await git(folder, ['mktree'], `100644 blob ${blob}\ta.json\n`);
      for (let depth = 0; depth < 3; depth += 1) {
        const lines = Array.from({ length: 10 }, (_, at) => `040000 tree ${tree}\t${at}\n`);
        tree = await git(folder, ['mktree'], lines.join(''));
      }
      const commit = await git(folder, ['commit-tree', '-m', 'bomb', tree]);
      await git(folder, ['update-ref', 'refs/heads/main', commit]);
      const fault = await faultOf(async () => bench.sync(await bench.source({ path: '.', maxObjects: 999 })));
      expect([fault.code, fault.message]).to.deep.equal([
        'ERR_SOURCE_TOO_LARGE',
        'The repository has more than 999 objects that are to be read.',
      ]);
      expect(await bench.processes()).to.deep.equal([]);
      const { items } = await bench.sync(await bench.source({ path: '.', maxObjects: 1000 }));
      expect(items, 'a reason for each, and what was read').to.have.lengthOf(1001);
    });

    it('end a git whose server sends endless references, at the timeout', async () => {
      bench.server.intervene = (request, response) => {
        if (request.method === 'GET') return false;
        pourReferences(response);
        return true;
      };
      const fault = await faultOf(async () => bench.sync(await bench.source({ timeout: '2s' })));
      expect(fault.code).to.equal('ERR_SOURCE_TIMEOUT');
      expect(await bench.processes()).to.deep.equal([]);
    });

    it('apply to bytes, and to the temporary folder', async () => {
      await bench.repository.commit({ 'registry.json': randomBytes(2_000_000) });
      const fault = await faultOf(async () => bench.sync(await bench.source({ maxBytes: 1_100_000 })));
      expect(fault.code).to.equal('ERR_SOURCE_TOO_LARGE');
      expect(fault.message).to.include('1100000 bytes');
      const small = { scratch: readContext(bench.scratch, 1_200_000).scratch };
      const source = await bench.source();
      const other = await faultOf(async () => {
        for await (const _ of source.readEntries(new AbortController().signal, small));
      });
      expect(other.message).to.include('1200000 bytes');
      expect(await readdir(bench.scratch), 'what is left').to.deep.equal([]);
    });
  });

  describe('timeout', () => {
    /** The n-th request is never answered. */
    function hangAt(count: number): Promise<void> {
      return new Promise((resolve) => {
        let asked = 0;
        bench.server.intervene = () => {
          asked += 1;
          if (asked === count) resolve();
          return asked >= count;
        };
      });
    }

    const PHASES = ['the greeting', 'the references', 'the greeting of the fetch', 'the pack'];
    for (const [at, phase] of PHASES.entries()) {
      it(`ends a server that hangs before ${phase}, and all git processes`, async () => {
        void hangAt(at + 1);
        const fault = faultOf(async () => bench.sync(await bench.source({ timeout: '700ms' })));
        expect((await inTime('the end of the sync', fault, { withinMs: 90_000 })).code).to.equal(
          'ERR_SOURCE_TIMEOUT',
        );
        expect(await bench.processes()).to.deep.equal([]);
      });

      it(`does not wait when the sync is aborted before ${phase}`, async () => {
        const hangs = hangAt(at + 1);
        const stop = new AbortController();
        const reason = new Error('enough');
        const syncing = bench
          .sync(await bench.source(), { signal: stop.signal })
          .catch((error: unknown) => error);
        await hangs;
        expect(await bench.processes()).to.have.length.above(0);
        stop.abort(reason);
        expect(await syncing).to.equal(reason);
        expect(await bench.processes()).to.deep.equal([]);
      });
    }
  });
});

/** References in answer to `ls-refs`, as fast as they are taken. */
function pourReferences(response: ServerResponse): void {
  const lines = Array.from({ length: 2000 }, (_, at) => {
    const line = `${String(at).padStart(40, 'a')} refs/heads/${at}\n`;
    return `${(line.length + 4).toString(16).padStart(4, '0')}${line}`;
  }).join('');
  const pour = (): void => {
    while (!response.destroyed && response.write(lines));
  };
  response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-result' });
  response.on('drain', pour);
  pour();
}

/** Arguments and variables of every process that is at work for a folder. */
async function everythingOfProcesses(folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const id of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const variables = await readFile(`/proc/${id}/environ`, 'utf8').catch(() => '');
    if (variables.includes(folder))
      found.push(variables, await readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => ''));
  }
  return found;
}

async function everythingBelow(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile());
  return Promise.all(files.map((entry) => readFile(join(entry.parentPath, entry.name), 'latin1')));
}

/** All that an error says, with what caused it. */
function print(error: unknown): string {
  const lines: string[] = [];
  for (let at = error; at instanceof Error; at = at.cause)
    lines.push(at.message, at.stack ?? '', JSON.stringify(at));
  return lines.join('\n');
}
