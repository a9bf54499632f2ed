import type { ContainerMount } from '@portolan/plugin-api';
import { provideEmptyFile, resolveOverlays } from '@portolan/workload/supervisor';
import { expect } from 'chai';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { NODE_IMAGE, TestRuntime } from '../isolation/support/test-runtime.ts';

/** Program that reads and writes every given path, and prints the results. */
const PROBE = `
  const fs = require('node:fs');
  const say = (action) => { try { return action(); } catch (error) { return error.code; } };
  const results = {};
  for (const path of JSON.parse(process.argv[1])) {
    results[path] = {
      read: say(() => fs.statSync(path).isDirectory() ? fs.readdirSync(path) : fs.readFileSync(path, 'utf8')),
      write: say(() => fs.statSync(path).isDirectory() ? fs.writeFileSync(path + '/new', 'x') : fs.appendFileSync(path, 'x')) ?? 'written',
      remove: say(() => fs.lstatSync(path).isDirectory() ? fs.rmdirSync(path) : fs.unlinkSync(path)) ?? 'removed',
    };
  }
  console.log(JSON.stringify(results));
`;

interface Probed {
  readonly read: string | readonly string[];
  readonly write: string;
  readonly remove: string;
}

describe('paths hidden by ignore rules, in a container', function () {
  this.timeout(180_000);
  const engine = new TestRuntime();
  before(async function () {
    await engine.open(this);
  });
  after(() => engine.close());

  async function makeProject(): Promise<string> {
    const project = await engine.folder();
    const files = {
      '.portolanignore': '.env\n*.pem\nsecrets/\nkept/*\n',
      '.env': 'A=1',
      'app.js': 'app',
      'src/.env': 'B=2',
      'src/deep/key.pem': 'key',
      'secrets/one': '1',
      'secrets/inner/two': '2',
      'kept/three': '3',
      'target.txt': 'linked',
    };
    for (const [name, text] of Object.entries(files)) {
      const file = path.join(project, name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, text);
    }
    await symlink('target.txt', path.join(project, 'link.pem'));
    return project;
  }

  /** Returns what root in the container sees of these paths below `/work`. */
  async function probe(
    mounts: readonly ContainerMount[],
    paths: readonly string[],
  ): Promise<Readonly<Record<string, Probed>>> {
    const emptyFile = await provideEmptyFile(await engine.folder());
    const overlays = await resolveOverlays(mounts, { loadGlobal: false, ignoreFiles: [], emptyFile });
    const absolute = paths.map((one) => `/work/${one}`);
    const id = await engine.runtime.createContainer({
      name: engine.name(),
      image: NODE_IMAGE,
      command: ['node', '-e', PROBE, JSON.stringify(absolute)],
      environment: {},
      labels: engine.labels,
      user: '0:0',
      mounts: [...mounts, ...overlays.mounts],
      logs: { maxBytes: 1_000_000, files: 1 },
    });
    try {
      await engine.runtime.startContainer(id);
      const state = await engine.runtime.waitForExit(id);
      const lines: string[] = [];
      for await (const { text } of engine.runtime.readLogs(id, { follow: true })) lines.push(text);
      expect(state?.exitCode, lines.join('\n')).to.equal(0);
      const results: Record<string, Probed> = JSON.parse(lines.join(''));
      return Object.fromEntries(paths.map((one) => [one, results[`/work/${one}`]!]));
    } finally {
      await engine.runtime.removeContainer(id);
    }
  }

  const FILES = ['.env', 'src/.env', 'src/deep/key.pem', 'kept/three', 'link.pem', 'target.txt'];

  for (const readOnly of [false, true]) {
    it(`are empty and read-only in a mount for ${readOnly ? 'reading' : 'writing'}`, async () => {
      const project = await makeProject();
      const before = await everything(project);
      const seen = await probe(
        [{ type: 'bind', source: project, target: '/work', readOnly }],
        [...FILES, 'secrets', 'secrets/one', 'secrets/inner/two'],
      );
      for (const file of FILES) {
        expect(seen[file]?.read, file).to.equal('');
        expect(seen[file]?.write, file).to.be.oneOf(['EROFS', 'EACCES']);
        if (file !== 'link.pem') expect(seen[file]?.remove, file).to.be.oneOf(['EBUSY', 'EROFS']);
      }
      expect(seen['secrets']?.read).to.deep.equal([]);
      expect(seen['secrets']?.write).to.equal('EROFS');
      expect(seen['secrets']?.remove).to.be.oneOf(['EBUSY', 'EROFS']);
      expect(seen['secrets/one']?.read).to.equal('ENOENT');
      expect(seen['secrets/inner/two']?.read).to.equal('ENOENT');
      // The link is not hidden, but its target is.
      if (!readOnly) delete before['link.pem'];
      expect(await everything(project)).to.deep.equal(before);
    });
  }

  it('leave all other paths unchanged', async () => {
    const project = await makeProject();
    const seen = await probe(
      [{ type: 'bind', source: project, target: '/work', readOnly: false }],
      ['app.js', 'src', 'kept'],
    );
    expect(seen['app.js']).to.deep.equal({ read: 'app', write: 'written', remove: 'removed' });
    expect(seen['src']?.read).to.have.members(['.env', 'deep']);
    expect(seen['kept']?.read).to.deep.equal(['three']);
    expect(await readdir(project)).to.not.include('app.js');
  });

  it('may contain another mount, which stays visible', async () => {
    const project = await makeProject();
    const other = await engine.folder();
    await writeFile(path.join(other, 'shown'), 'shown');
    const seen = await probe(
      [
        { type: 'bind', source: project, target: '/work', readOnly: false },
        { type: 'bind', source: other, target: '/work/secrets/inner', readOnly: true },
      ],
      ['secrets/inner/shown', 'secrets/one'],
    );
    expect(seen['secrets/inner/shown']?.read).to.equal('shown');
    expect(seen['secrets/one']?.read).to.equal('ENOENT');
  });
});

/** Returns the text of every file below a folder, and the targets of links. */
async function everything(folder: string): Promise<Record<string, string>> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => path.join(parentPath, name));
  const texts = await Promise.all(
    files
      .toSorted()
      .map(async (file) => [path.relative(folder, file), await readFile(file, 'utf8')] as const),
  );
  return Object.fromEntries(texts);
}
