import { formatLockFile, lockDefinitions, type Resolved } from '@portolan/lock';
import { expect } from 'chai';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { caught } from '../../../../test/support/caught.ts';
import type { ImageSource } from '../../src/run/steps/image-source.ts';
import { lockSource } from '../../src/run/steps/lock/locked-source.ts';

const PACKAGE: Resolved = { package: '@acme/notes', version: '2.1.0', integrity: 'sha512-AAAA' };
const DIGEST = `sha256:${'a'.repeat(64)}`;
const IMAGE: Resolved = { image: 'ghcr.io/acme/notes:2.1.0', digest: DIGEST };

function packageSource(version?: string, pinned = version !== undefined): ImageSource {
  const reference = { from: 'index', name: '@acme/notes', extras: [], version, pinned } as const;
  return { form: 'package', scheme: 'npx', reference, runtime: undefined, caCert: '' };
}

const imageSource = (reference: string): ImageSource => ({ form: 'image', reference });

describe('lockSource', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-locked-source-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const context = () => ({
    directories: { policies: folder } as Parameters<typeof lockSource>[2]['directories'],
  });
  const settings = (more: object = {}) => ({
    name: 'notes',
    lock_file: '',
    drift: '',
    frozen: false,
    ...more,
  });

  async function lock(resolved: Resolved | undefined): Promise<void> {
    const { locked } = lockDefinitions({
      facts: { source: 'npx://@acme/notes@2.1.0' },
      current: { server: { capabilities: {} }, resolved },
      approval: { date: '2026-11-30' },
    });
    if (locked === undefined) throw new Error('the definitions cannot be locked');
    const text = formatLockFile(
      { version: 1, formula: 1, workloads: new Map([['notes', locked.workload]]) },
      'portolan.lock.d/',
    );
    await mkdir(path.join(folder, 'notes'), { recursive: true });
    await writeFile(path.join(folder, 'notes', 'portolan.lock'), text);
  }

  it('changes nothing without a lock file', async () => {
    const source = packageSource();
    expect(await lockSource(source, settings(), context())).to.deep.equal({
      source,
      pinned: undefined,
      warnings: [],
    });
  });

  it('refuses a frozen workload that is in no lock file', async () => {
    const error = await caught(() => lockSource(packageSource(), settings({ frozen: true }), context()));
    expect(error.code).to.equal('ERR_NOT_LOCKED');
  });

  it('refuses to run by a damaged lock file', async () => {
    await mkdir(path.join(folder, 'notes'));
    await writeFile(path.join(folder, 'notes', 'portolan.lock'), 'version: [1');
    expect((await caught(() => lockSource(packageSource(), settings(), context()))).code).to.equal(
      'ERR_LOCK_FILE',
    );
  });

  for (const [version, pinned] of [
    [undefined, false],
    ['latest', false],
    ['2.1.0', true],
  ] as const) {
    it(`runs the locked version and hash of a package when ${version ?? 'no version'} is requested`, async () => {
      await lock(PACKAGE);
      const { source } = await lockSource(packageSource(version, pinned), settings(), context());
      expect(source).to.deep.include({ integrity: 'sha512-AAAA' });
      expect(source).to.have.nested.include({ 'reference.version': '2.1.0', 'reference.pinned': true });
    });
  }

  it('pulls the locked digest of an image', async () => {
    await lock(IMAGE);
    const { pinned } = await lockSource(imageSource('ghcr.io/acme/notes:2.1.0'), settings(), context());
    expect(pinned).to.equal(`ghcr.io/acme/notes@${DIGEST}`);
  });

  for (const [title, resolved, source] of [
    ['another version', PACKAGE, packageSource('3.0.0')],
    ['another package', { ...PACKAGE, package: '@acme/other' }, packageSource()],
    ['another tag', IMAGE, imageSource('ghcr.io/acme/notes:3.0.0')],
    ['an image in place of a package', PACKAGE, imageSource('ghcr.io/acme/notes:2.1.0')],
    ['a package in place of an image', IMAGE, packageSource()],
  ] as const) {
    it(`refuses ${title}, and warns with --drift warn`, async () => {
      await lock(resolved);
      const error = await caught(() => lockSource(source, settings(), context()));
      expect(error.code).to.equal('ERR_DRIFT_REFUSED');
      const warned = await lockSource(source, settings({ drift: 'warn' }), context());
      expect(warned).to.deep.equal({ source, pinned: undefined, warnings: [error.message] });
    });
  }

  it('runs what is requested when the lock names neither a package nor an image', async () => {
    await lock(undefined);
    const source = imageSource('localhost/notes');
    expect(await lockSource(source, settings(), context())).to.deep.include({ source, warnings: [] });
  });
});
