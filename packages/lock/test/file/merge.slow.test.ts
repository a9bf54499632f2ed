import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { formatLockFile, readLockFile, writeLockFile } from '../../src/index.ts';
import { makeFolder, storedLock } from '../support/lock.ts';

/** A repository with one lock file, in which a test makes branches. */
class Repository {
  readonly folder: string;
  readonly file: string;

  constructor(folder: string) {
    this.folder = folder;
    this.file = path.join(folder, 'portolan.lock');
  }

  async git(...words: readonly string[]): Promise<void> {
    const environment = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
    const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@acme.example'];
    await promisify(execFile)('git', [...identity, ...words], { cwd: this.folder, env: environment });
  }

  async commit(names: readonly string[]): Promise<void> {
    await writeLockFile(this.file, storedLock(names));
    await this.git('add', '-A');
    await this.git('commit', '-qm', `lock: ${names.join(', ')}`);
  }
}

const ROWS: readonly (readonly [title: string, base: readonly string[], ours: string, theirs: string])[] = [
  ['after the same workload', ['github'], 'notes', 'slack'],
  ['before the same workload', ['github'], 'a', 'b'],
  ['in an empty file', [], 'notes', 'slack'],
  ['with names that begin with neighbouring letters', ['a'], 'm', 'n'],
  ['on both sides of a workload with the same first letter', ['server'], 'search', 'slack'],
  ['with names that begin with digits', ['a'], '1password', '7zip'],
];

describe('merge of lock files', function () {
  this.timeout(60_000); // Each case starts git several times.

  for (const [title, base, ours, theirs] of ROWS) {
    it(`git merge › joins two branches that each add a workload ${title}`, async () => {
      await using temporary = await makeFolder();
      const repository = new Repository(temporary.folder);
      await repository.git('init', '-q', '-b', 'main');
      await repository.commit(base);
      await repository.git('checkout', '-qb', 'other');
      await repository.commit([...base, theirs]);
      await repository.git('checkout', '-q', 'main');
      await repository.commit([...base, ours]);
      await repository.git('merge', '-q', '--no-edit', 'other');
      const text = await readFile(repository.file, 'utf8');
      const merged = await readLockFile(repository.file);
      const expected = storedLock([...base, ours, theirs]);
      expect(text).to.equal(formatLockFile(expected.lock, 'portolan.lock.d/'));
      expect([...(merged?.contents ?? [])]).to.have.deep.members([...expected.contents]);
      expect(await writeLockFile(repository.file, expected)).to.equal(false);
    });
  }
});
