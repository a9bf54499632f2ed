import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { expect } from 'chai';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { run } from '../../../scripts/run.ts';
import { ROOT } from '../../../scripts/workspace-packages.ts';
import { CHECKSUMS_FILE } from '../../../scripts/release/artefacts.ts';
import { readRelease } from '../../../scripts/release/changes.ts';
import { listVersionPlaces } from '../../../scripts/release/versions.ts';

/** Version above every version of the repository, so that a release does not change this test. */
const VERSION = '999.1.0';

describe('npm run release', function () {
  this.timeout(900_000); // The hook builds and packs all packages of a copy.

  let clone: string;
  before(async () => {
    clone = await mkdtemp(path.join(tmpdir(), 'portolan-release-'));
    await cloneTree(clone);
    await writeFile(path.join(clone, 'changes/test-maps.added.md'), '`portolan maps` lists maps.\n');
    await writeFile(path.join(clone, 'changes/test-tides.security.md'), 'Tides are safe.\nSo are winds.\n');
    await commit(clone);
  });
  after(() => rm(clone, { recursive: true, force: true }));

  const release = (...args: readonly string[]): Promise<string> =>
    run(process.execPath, ['scripts/release.ts', ...args], { cwd: clone });
  const git = (...args: readonly string[]): Promise<string> => run('git', args, { cwd: clone });
  const failure = (...args: readonly string[]): Promise<string> =>
    release(...args).then(
      (output) => `no failure: ${output}`,
      (error: unknown) => String(error),
    );
  const read = (file: string): Promise<string> => readFile(path.join(clone, file), 'utf8');

  it('prints the next version and its notes with --dry-run, and changes nothing', async () => {
    const { version } = Object(JSON.parse(await read('package.json')));
    const [, minor] = String(version).split('.').map(Number);
    const output = await release('--dry-run', '--date', '2030-01-02');
    expect(output).to.include(`${version} -> 0.${Number(minor) + 1}.0\n`);
    expect(output).to.match(/^## 0\.\d+\.0 - 2030-01-02$/m);
    expect(output).to.include('- `portolan maps` lists maps.\n');
    expect(await git('status', '--porcelain')).to.equal('');
  });

  it('refuses an older version, an invalid version or date, faulty change files, and uncommitted files', async () => {
    expect(await failure('--dry-run', '--version', '0.0.9')).to.include('0.0.9 is not newer than');
    expect(await failure('--version', 'v1')).to.include('expected a version such as 1.2.3');
    expect(await failure('--date', '2030-13-40')).to.include('expected a date such as');
    const file = path.join(clone, 'changes/test-winds.fixed.md');
    await writeFile(file, 'Winds are right.\n');
    expect(await failure('--version', VERSION)).to.include('changes/test-winds.fixed.md');
    await writeFile(file, '- Winds are right\n');
    expect(await failure('--dry-run')).to.include('changes/test-winds.fixed.md:1: ');
    await rm(file);
    expect(await git('status', '--porcelain')).to.equal('');
  });

  describe('without --dry-run', () => {
    let folder: string;
    let output: string;
    before(async () => {
      folder = path.join(clone, 'dist/release');
      output = await release('--version', VERSION, '--date', '2030-01-02');
    });

    it('writes the version to every place, moves the changes into the changelog, and names the next step', async () => {
      const versions = (await listVersionPlaces(clone)).map(({ version }) => version);
      expect([...new Set(versions)]).to.deep.equal([VERSION]);
      const notes = readRelease(await read('CHANGELOG.md'), VERSION);
      expect(notes).to.include('- `portolan maps` lists maps.\n');
      const [, security = ''] = /^### Security\n\n((?:- .*\n)+)/m.exec(notes) ?? [];
      expect(security).to.include('- Tides are safe.\n- So are winds.\n');
      expect(await readdir(path.join(clone, 'changes'))).to.deep.equal(['README.md']);
      expect(output).to.include(`git tag v${VERSION}`);
      // The command fails if the lock file does not fit the manifests.
      await run('npm', ['ci', '--dry-run', '--offline', '--ignore-scripts', '--no-audit'], { cwd: clone });
      const changed = (await git('status', '--porcelain')).trim().split('\n');
      const allowed =
        /^ ?[MD] (?:CHANGELOG\.md|changes\/\S+|(?:\S+\/)?package(?:-lock)?\.json|deploy\/helm\/portolan\/Chart\.yaml|docs\/\S+|README\.md|\S+\/README\.md)$/;
      expect(changed.filter((line) => !allowed.test(line))).to.deep.equal([]);
    });

    it('packs every package with the version, and ranges that accept it', async () => {
      const files = await readdir(path.join(folder, 'npm'));
      expect(files.length).to.be.greaterThan(40);
      for (const file of files) {
        expect(file).to.match(new RegExp(`^portolan-[a-z0-9-]+-${VERSION}\\.tgz$`));
        const manifest = await run('tar', ['-xzOf', path.join(folder, 'npm', file), 'package/package.json']);
        const { version, dependencies = {} } = Object(JSON.parse(manifest));
        expect(version, file).to.equal(VERSION);
        for (const [name, range] of Object.entries(dependencies))
          if (name.startsWith('@portolan/')) expect(range, `${file}: ${name}`).to.equal(`^${VERSION}`);
      }
    });

    it('writes the chart, the deployment files, the notes and an SBOM', async () => {
      const chart = path.join(folder, `portolan-chart-${VERSION}.tgz`);
      expect(await run('tar', ['-xzOf', chart, 'portolan/Chart.yaml'])).to.include(
        `appVersion: ${VERSION}\n`,
      );
      const deploy = await run('tar', ['-tzf', path.join(folder, `portolan-deploy-${VERSION}.tgz`)]);
      expect(deploy.split('\n')).to.include.members(['compose/compose.yaml', 'portolan.service']);
      expect(await readFile(path.join(folder, 'NOTES.md'), 'utf8')).to.equal(
        readRelease(await read('CHANGELOG.md'), VERSION),
      );
      const sbom = await readFile(path.join(folder, `portolan-${VERSION}.cdx.json`), 'utf8');
      expect(await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(sbom)).to.equal(null);
      const { components } = JSON.parse(sbom) as {
        readonly components: readonly { readonly purl: string }[];
      };
      const names = components.map(({ purl }) => purl.replace(/@[^@]*$/, ''));
      // The SBOM contains installed, bundled and Portolan's own packages, but no tool of the repository.
      expect(names).to.include.members(['pkg:npm/npm', 'pkg:npm/dockerode', 'pkg:npm/%40portolan/cli']);
      expect(names).not.to.include('pkg:npm/mocha');
    });

    it('writes checksums that sha256sum accepts, of every file', async () => {
      const checked = (await run('sha256sum', ['--check', CHECKSUMS_FILE], { cwd: folder }))
        .trim()
        .split('\n');
      const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((one) =>
        one.isFile(),
      );
      expect(checked).to.have.length(files.length - 1);
    });
  });
});

/** Copies the files that Git tracks or would add, and links the installed packages. */
async function cloneTree(target: string): Promise<void> {
  const listed = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
  });
  for (const file of listed.split('\0').filter((name) => name !== '')) {
    // A file that was removed and not committed is listed, too.
    await cp(path.join(ROOT, file), path.join(target, file)).catch((error: unknown) => {
      if (Object(error).code !== 'ENOENT') throw error;
    });
  }
  await linkModules(path.join(ROOT, 'node_modules'), path.join(target, 'node_modules'));
  for (const group of ['packages', 'plugins']) {
    for (const name of await readdir(path.join(target, group))) {
      const modules = path.join(ROOT, group, name, 'node_modules');
      await readdir(modules).then(
        () => linkModules(modules, path.join(target, group, name, 'node_modules')),
        () => undefined, // Most packages have no folder of their own.
      );
    }
  }
}

/** Links each package of a folder `node_modules`. Links to packages of the workspace stay relative, and lead to the copy. */
async function linkModules(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const name of await readdir(from)) {
    if (name === '.cache') continue;
    if (name === '@portolan')
      await cp(path.join(from, name), path.join(to, name), { recursive: true, verbatimSymlinks: true });
    else await symlink(path.join(from, name), path.join(to, name));
  }
}

async function commit(folder: string): Promise<void> {
  const git = (...args: readonly string[]): Promise<string> => run('git', args, { cwd: folder });
  await git('init', '--quiet');
  await git('add', '--all');
  const author = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];
  await git(...author, 'commit', '--quiet', '--no-gpg-sign', '--message', 'all');
}
