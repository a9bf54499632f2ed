import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { hashContext, listContext } from '../../src/build/context/context-folder.ts';
import { readIgnoreRules } from '../../src/build/context/ignore-rules.ts';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';

describe('readIgnoreRules', () => {
  const cases: readonly (readonly [rules: string, out: readonly string[], stays: readonly string[]])[] = [
    ['*.log', ['run.log'], ['sub/run.log', 'run.txt']],
    ['**/*.log', ['run.log', 'sub/run.log'], ['run.txt']],
    ['/build/\n# remark\n\n', ['build/a'], ['sub/build/a', '# remark']],
    ['*\n!cmd\n!go.mod', ['README.md', 'internal/a.go'], ['cmd/server/main.go', 'go.mod']],
    ['**\n!**/*.go', ['a/b.txt'], ['a/b.go']],
    ['docs\n!docs/keep.md', ['docs/a.md'], ['docs/keep.md']],
    ['!a\na', ['a'], []],
    ['.', [], ['a']],
  ];
  for (const [text, out, stays] of cases) {
    it(`applies ${JSON.stringify(text)}`, async () => {
      const rules = await readIgnoreRules(text);
      for (const file of out) expect(rules.leavesOut(file, false), file).to.equal(true);
      for (const file of stays) expect(rules.leavesOut(file, false), file).to.equal(false);
    });
  }
});

describe('listContext', () => {
  const folders = new TemporaryFolders();
  afterEach(async () => {
    await folders.removeAll();
  });

  const fill = async (files: Readonly<Record<string, string>>): Promise<string> => {
    const root = await folders.make();
    for (const [file, text] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(root, file)), { recursive: true });
      await writeFile(path.join(root, file), text);
    }
    return root;
  };

  it('leaves out .git, ignored files and symbolic links to the outside', async () => {
    const root = await fill({
      'a.go': 'a',
      'sub/b.go': 'b',
      '.git/config': 'secret',
      'out/x': 'x',
      'out/keep': 'k',
      '.dockerignore': 'out\n!out/keep',
    });
    await symlink('/etc/passwd', path.join(root, 'absolute'));
    await symlink('../../etc/passwd', path.join(root, 'sub', 'above'));
    await symlink('../a.go', path.join(root, 'sub', 'inside'));
    const entries = await listContext({ source: root });
    expect(entries.map((entry) => `${entry.kind} ${entry.path}`)).to.deep.equal([
      'file .dockerignore',
      'file a.go',
      'file out/keep',
      'file sub/b.go',
      'link sub/inside',
    ]);
  });

  it('leaves out files that the scheme excludes, unless .dockerignore includes them', async () => {
    const root = await fill({
      'a.js': 'a',
      'node_modules/x/index.js': 'x',
      'sub/node_modules/y.js': 'y',
      'keep/node_modules/z.js': 'z',
      '.dockerignore': '!keep/node_modules/z.js',
    });
    const entries = await listContext({ source: root, leavesOut: ['**/node_modules'] });
    expect(entries.map((entry) => entry.path)).to.deep.equal([
      '.dockerignore',
      'a.js',
      'keep/node_modules/z.js',
    ]);
  });

  it('changes the hash with names, content and the executable bit', async () => {
    const hash = async (root: string): Promise<string> =>
      await hashContext(root, await listContext({ source: root }));
    const [one, same, other] = [await fill({ a: '1' }), await fill({ a: '1' }), await fill({ b: '1' })];
    expect(await hash(one)).to.equal(await hash(same));
    expect(await hash(one)).not.to.equal(await hash(other));
    await chmod(path.join(same, 'a'), 0o755);
    expect(await hash(one)).not.to.equal(await hash(same));
  });

  it('rejects an unreadable folder', async () => {
    const error: unknown = await listContext({ source: '/nowhere/at/all' }).catch((fault: unknown) => fault);
    expect(error).to.include({ code: 'ERR_PACKAGE_BUILD' });
  });
});
