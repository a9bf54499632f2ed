import type { ContainerMount } from '@portolan/plugin-api';
import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import { chmod, link, mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { provideEmptyFile } from '../../../src/supervisor/overlays/empty-file.ts';
import {
  Overlays,
  resolveOverlays,
  type ResolvedOverlays,
} from '../../../src/supervisor/overlays/resolve-overlays.ts';
import { caught } from '../../../../../test/support/caught.ts';
import { TemporaryFolders } from '../../../../../test/support/temporary-folders.ts';

const EMPTY = '/run/portolan/empty';
const NOBODY = 65_534;

/** Runs the action as another user, because root may read every file. */
async function asNobody(action: () => Promise<void>): Promise<void> {
  if (process.geteuid?.() !== 0) return await action();
  process.seteuid?.(NOBODY);
  try {
    await action();
  } finally {
    process.seteuid?.(0);
  }
}

describe('resolveOverlays', () => {
  const folders = new TemporaryFolders();
  afterEach(() => folders.removeAll());

  /**
   * Creates a folder with these files. A name with a final `/` is a folder. A value that begins with `-> ` is
   * a link.
   */
  async function tree(files: Readonly<Record<string, string>>): Promise<string> {
    const root = await folders.make();
    for (const [name, content] of Object.entries(files)) {
      const file = path.join(root, name);
      await mkdir(name.endsWith('/') ? file : path.dirname(file), { recursive: true });
      if (content.startsWith('-> ')) await symlink(content.slice(3), file);
      else if (!name.endsWith('/')) await writeFile(file, content);
    }
    return root;
  }

  const mountOf = (source: string, target = '/work', readOnly = false): ContainerMount => ({
    type: 'bind',
    source,
    target,
    readOnly,
  });

  async function resolve(
    mounts: readonly ContainerMount[],
    options: Partial<Parameters<typeof resolveOverlays>[1]> = {},
  ): Promise<ResolvedOverlays> {
    return await resolveOverlays(mounts, { loadGlobal: true, ignoreFiles: [], emptyFile: EMPTY, ...options });
  }

  /** Returns the hidden paths below `/work`. Folders end with `/`. */
  async function hiddenIn(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
    return shown(await resolve([mountOf(await tree(files))]));
  }

  const shown = ({ resolved }: ResolvedOverlays): readonly string[] =>
    resolved.map(
      ({ containerPath, kind }) => containerPath.replace(/^\/work\//, '') + (kind === 'tmpfs' ? '/' : ''),
    );

  const some = {
    '.env': 'A=1',
    '.ssh/key': 'k',
    'a.pem': 'p',
    'src/.env': 'B=1',
    'src/deep/b.pem': 'p',
    'src/app.js': '',
  };

  const cases: readonly {
    title: string;
    files: Readonly<Record<string, string>>;
    hidden: readonly string[];
  }[] = [
    {
      title: 'files and folders at any depth',
      files: { ...some, '.portolanignore': '.env\n.ssh/\n*.pem\n' },
      hidden: ['.env', '.ssh/', 'a.pem', 'src/.env', 'src/deep/b.pem'],
    },
    { title: 'nothing without an ignore file', files: some, hidden: [] },
    {
      title: 'nothing for comments and empty lines',
      files: { ...some, '.portolanignore': '# .env\n\n   \n  # a.pem\r\n' },
      hidden: [],
    },
    {
      title: 'files in .thvignore without a .portolanignore',
      files: { ...some, '.thvignore': '.env' },
      hidden: ['.env', 'src/.env'],
    },
    {
      title: 'no files in .thvignore beside a .portolanignore',
      files: { ...some, '.thvignore': '.env', '.portolanignore': 'a.pem' },
      hidden: ['a.pem'],
    },
    {
      title: 'anchored patterns only at the top',
      files: { ...some, '.portolanignore': '/.env' },
      hidden: ['.env'],
    },
    {
      title: 'a folder as a whole, without listing its files',
      files: { ...some, '.portolanignore': 'src\n*.pem' },
      hidden: ['a.pem', 'src/'],
    },
    {
      title: 'files at any depth by `**`',
      files: { ...some, '.portolanignore': 'src/**/*.pem' },
      hidden: ['src/deep/b.pem'],
    },
    {
      title: 'files regardless of case',
      files: { ...some, '.portolanignore': '.ENV\nA.PEM' },
      hidden: ['.env', 'a.pem', 'src/.env'],
    },
    {
      title: 'files of a line with white space around it',
      files: { ...some, '.portolanignore': '  .env\t\n' },
      hidden: ['.env', 'src/.env'],
    },
    {
      title: 'files of a line that begins with a byte order mark',
      files: { ...some, '.portolanignore': '\uFEFF.env' },
      hidden: ['.env', 'src/.env'],
    },
    {
      title: 'no file that a later `!` line shows and no plain rule hides',
      files: { ...some, '.portolanignore': '.env\n!src/.env' },
      hidden: ['.env'],
    },
    {
      title: 'a plain match in the top folder despite a later `!` line',
      files: { ...some, '.portolanignore': '*.pem\n!a.pem' },
      hidden: ['a.pem', 'src/deep/b.pem'],
    },
    {
      title: 'a path that a line names literally',
      files: { 'a[b].txt': '', 'ab.txt': '', '!important': '', '.portolanignore': './a[b].txt\n!important' },
      hidden: ['!important', 'a[b].txt'],
    },
    {
      title: 'both the literal path and the matches of a pattern',
      files: { 'a[b].txt': '', 'ab.txt': '', '.portolanignore': 'a[b].txt' },
      hidden: ['a[b].txt', 'ab.txt'],
    },
    {
      title: 'everything for the line `./`',
      files: { ...some, '.portolanignore': './' },
      hidden: ['.env', '.portolanignore', '.ssh/', 'a.pem', 'src/'],
    },
    {
      title: 'nothing outside of the folder',
      files: { ...some, '.portolanignore': '../\n../../etc\n/etc/passwd' },
      hidden: [],
    },
    {
      title: 'the target of a hidden symbolic link',
      files: { 'conf/prod.txt': 's', 'prod.env': '-> conf/prod.txt', '.portolanignore': '*.env' },
      hidden: ['conf/prod.txt'],
    },
    {
      title: 'the target folder of a symbolic link named as a folder',
      files: { 'real/a.json': '', secrets: '-> real', '.portolanignore': 'secrets/' },
      hidden: ['real/'],
    },
    {
      title: 'files behind a symbolic link in the path of a pattern',
      files: { 'real/a.json': '', 'real/b.txt': '', secrets: '-> real', '.portolanignore': 'secrets/*.json' },
      hidden: ['real/a.json'],
    },
    {
      title: 'nothing for broken links and links to the outside',
      files: { gone: '-> missing', out: '-> /etc', self: '-> self', '.portolanignore': 'gone\nout/\nself' },
      hidden: [],
    },
    {
      title: 'nothing below a symbolic link, which is not followed',
      files: { 'real/.env': '', loop: '-> .', '.portolanignore': '.env' },
      hidden: ['real/.env'],
    },
  ];
  for (const { title, files, hidden } of cases) {
    it(`hides ${title}`, async () => {
      expect(await hiddenIn(files)).to.deep.equal(hidden);
    });
  }

  it('hides everything that git ignores, with all kinds of rules', async () => {
    const rules = [
      '*.log',
      '!keep.log',
      'build/',
      '/only-top',
      'doc/*.txt',
      '**/cache',
      'a/**/z',
      'x[0-9].bin',
      '\\#hash',
      'tail ',
    ];
    const names = [
      'keep.log',
      'x.log',
      'build',
      'only-top',
      'doc/a.txt',
      'doc/n/b.txt',
      'cache/f',
      'a/b/c/z',
      'a/z',
      'x1.bin',
      'xa.bin',
      '#hash',
      'tail',
      'plain',
    ];
    const files = Object.fromEntries(
      ['', 'sub/', 'sub/build/', 'doc/sub/'].flatMap((folder) =>
        names.map((name) => [folder + (name === 'build' ? 'build/f' : name), 'x']),
      ),
    );
    const root = await tree({
      ...files,
      '.portolanignore': rules.join('\n'),
      '.gitignore': rules.join('\n'),
    });
    execFileSync('git', ['init', '-q'], { cwd: root });
    const ignored = execFileSync('git', ['status', '--porcelain', '--ignored=matching', '-uall', '-z'], {
      cwd: root,
      encoding: 'utf8',
    })
      .split('\0')
      .flatMap((line) => (line.startsWith('!! ') ? [line.slice(3)] : []))
      .toSorted();
    const { resolved } = await resolve([mountOf(root)]);
    expect(ignored).to.have.length.above(20);
    ignored.push('keep.log'); // `*.log` names it at the top, where nothing shows again what a line hides
    expect(
      resolved
        .map(({ containerPath, kind }) => containerPath.replace('/work/', '') + (kind === 'tmpfs' ? '/' : ''))
        .toSorted(),
    ).to.deep.equal(ignored.toSorted());
  });

  it('mounts an empty read-only tmpfs over a folder, and the empty file over a file', async () => {
    const root = await tree({ ...some, '.portolanignore': '.env\n.ssh' });
    const { mounts, resolved } = await resolve([mountOf(root, '/data/', true)]);
    expect(mounts[0]).to.deep.equal({ type: 'bind', source: EMPTY, target: '/data/.env', readOnly: true });
    expect(mounts[1]).to.deep.equal({
      type: 'tmpfs',
      target: '/data/.ssh',
      sizeBytes: 4096,
      mode: 0o555,
      readOnly: true,
    });
    expect(resolved[1]).to.deep.equal({
      containerPath: '/data/.ssh',
      kind: 'tmpfs',
      hostPath: path.join(root, '.ssh'),
    });
  });

  it('creates no file in the mounted folder', async () => {
    const root = await tree({ '.portolanignore': 'missing/\n*.pem\nnot-here' });
    expect((await resolve([mountOf(root)])).mounts).to.deep.equal([]);
    expect(await readdir(root)).to.deep.equal(['.portolanignore']);
  });

  it('applies the first existing global file to each mount, unless it is disabled', async () => {
    const user = await tree({ portolanignore: 'a.pem', other: '.env' });
    const [one, two] = [await tree(some), await tree(some)];
    const ignoreFiles = [
      path.join(user, 'missing'),
      path.join(user, 'portolanignore'),
      path.join(user, 'other'),
    ];
    const mounts = [mountOf(one), mountOf(two, '/two', true)];
    const { resolved } = await resolve(mounts, { ignoreFiles });
    expect(resolved.map(({ containerPath }) => containerPath)).to.deep.equal(['/work/a.pem', '/two/a.pem']);
    expect((await resolve(mounts, { ignoreFiles, loadGlobal: false })).resolved).to.deep.equal([]);
  });

  it("lets a folder's rules show files that global rules hide", async () => {
    const user = await tree({ portolanignore: '*.pem' });
    const root = await tree({ ...some, '.portolanignore': '!src/deep/b.pem' });
    expect(
      shown(await resolve([mountOf(root)], { ignoreFiles: [path.join(user, 'portolanignore')] })),
    ).to.deep.equal(['a.pem']);
  });

  it('warns about a `!` line without effect', async () => {
    const root = await tree({ ...some, '.portolanignore': '*.pem\n!a.pem' });
    const { warnings } = await resolve([mountOf(root)]);
    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.include('a.pem stays hidden');
  });

  it('keeps a single mounted file visible, with a warning when a global rule names it', async () => {
    const root = await tree({ ...some, portolanignore: '.env', '.portolanignore': '.env' });
    const mount = mountOf(path.join(root, '.env'), '/app/.env');
    expect(await resolve([mount])).to.deep.equal({ mounts: [], resolved: [], warnings: [] });
    const { mounts, warnings } = await resolve([mount], { ignoreFiles: [path.join(root, 'portolanignore')] });
    expect(mounts).to.deep.equal([]);
    expect(warnings[0]).to.include(path.join(root, '.env'));
  });

  it('ignores paths that another mount covers', async () => {
    const root = await tree({ ...some, '.portolanignore': 'src/deep/b.pem\n.env\n.ssh' });
    const mounts: readonly ContainerMount[] = [
      mountOf(root),
      mountOf(await tree({ 'b.pem': '' }), '/work/src/deep/'),
      { type: 'tmpfs', target: '/work/.ssh' },
    ];
    expect(shown(await resolve(mounts))).to.deep.equal(['.env', 'src/.env']);
  });

  it('follows a mount whose source is a symbolic link', async () => {
    const root = await tree({ 'real/.env': '', 'real/.portolanignore': '.env', alias: '-> real' });
    const { resolved } = await resolve([mountOf(path.join(root, 'alias'))]);
    expect(resolved).to.deep.equal([
      { containerPath: '/work/.env', kind: 'file', hostPath: path.join(root, 'alias/.env') },
    ]);
  });

  it('hides only the matching one of two names of a file', async () => {
    const root = await tree({ '.env': 'A=1', '.portolanignore': '.env' });
    await link(path.join(root, '.env'), path.join(root, 'copy'));
    expect(shown(await resolve([mountOf(root)]))).to.deep.equal(['.env']);
  });

  describe('with paths that cannot be checked', () => {
    const limits = { entries: 5, overlays: 3 };
    const faults: readonly {
      title: string;
      files: Readonly<Record<string, string>>;
      code: string;
      says: string;
    }[] = [
      {
        title: 'more entries than the search allows',
        files: { ...some, '.portolanignore': 'x' },
        code: 'ERR_IGNORE_FILE',
        says: 'more than 5',
      },
      {
        title: 'more overlays than a container can have',
        files: { a1: '', a2: '', a3: '', a4: '', '.portolanignore': 'a?' },
        code: 'ERR_IGNORE_FILE',
        says: 'more than 3',
      },
      {
        title: 'an ignore file that is a folder',
        files: { '.portolanignore/': '' },
        code: 'ERR_IGNORE_FILE',
        says: 'it is not a regular file',
      },
      {
        title: 'an ignore file that is not text',
        files: { '.portolanignore': 'a\0b' },
        code: 'ERR_IGNORE_FILE',
        says: 'not UTF-8',
      },
      {
        title: 'a pattern with too many wildcards',
        files: { '.portolanignore': '\n*a*a*a*a*a*b' },
        code: 'ERR_IGNORE_FILE',
        says: '.portolanignore:2 ',
      },
    ];
    for (const { title, files, code, says } of faults) {
      it(`throws for ${title}`, async () => {
        const root = await tree(files);
        const error = await caught(() => resolve([mountOf(root)], { limits }));
        expect(error.code).to.equal(code);
        expect(error.message).to.include(says);
        expect(error.hint).to.be.a('string');
      });
    }

    it('throws for a folder that does not exist', async () => {
      const error = await caught(() => resolve([mountOf('/nowhere/at/all')]));
      expect(error.code).to.equal('ERR_IGNORE_FILE');
    });

    it('throws for a file name that is not UTF-8', async () => {
      const root = await tree({ '.portolanignore': 'x' });
      await writeFile(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0x61, 0xff])]), '');
      const error = await caught(() => resolve([mountOf(root)]));
      expect(error.code).to.equal('ERR_IGNORE_FILE');
    });

    it('throws for an unreadable folder, unless the folder itself is hidden', async () => {
      const root = await tree({ 'closed/': '', '.portolanignore': 'x' });
      const hiding = await tree({ 'closed/': '', '.portolanignore': 'closed' });
      for (const folder of [root, hiding]) {
        await chmod(folder, 0o755);
        await chmod(path.join(folder, 'closed'), 0o000);
      }
      await asNobody(async () => {
        expect((await caught(() => resolve([mountOf(root)]))).code).to.equal('ERR_IGNORE_FILE');
        expect(shown(await resolve([mountOf(hiding)]))).to.deep.equal(['closed/']);
      });
    });

    it('throws the reason of the signal', async () => {
      const root = await tree({ '.portolanignore': 'x' });
      const signal = AbortSignal.abort(new Error('enough'));
      const error: unknown = await resolve([mountOf(root)], { signal }).catch((reason: unknown) => reason);
      expect(error).to.equal(signal.reason);
    });
  });

  it('does not search a hidden folder, however large it is', async () => {
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`node_modules/${index}`, '']));
    const root = await tree({ ...many, '.portolanignore': 'node_modules/' });
    expect(shown(await resolve([mountOf(root)], { limits: { entries: 3, overlays: 1 } }))).to.deep.equal([
      'node_modules/',
    ]);
  });
});

describe('Overlays', () => {
  const folders = new TemporaryFolders();
  afterEach(() => folders.removeAll());

  it('applies the rules that it has read to the current files', async () => {
    const source = await folders.make();
    await mkdir(path.join(source, 'keys'));
    await Promise.all(
      Object.entries({ '.portolanignore': '*.pem\n.env\n', '.env': 'A=1', 'keys/a.pem': 'p' }).map(
        ([name, content]) => writeFile(path.join(source, name), content),
      ),
    );
    const mounts: readonly ContainerMount[] = [{ type: 'bind', source, target: '/work', readOnly: false }];
    const overlays = await Overlays.read(mounts, { loadGlobal: false, ignoreFiles: [], emptyFile: EMPTY });
    const targets = async (): Promise<readonly string[]> =>
      (await overlays.resolve()).mounts.map(({ target }) => target);
    expect(await targets()).to.have.members(['/work/.env', '/work/keys/a.pem']);
    await rename(path.join(source, 'keys'), path.join(source, 'elsewhere'));
    await rm(path.join(source, '.env'));
    await writeFile(path.join(source, '.portolanignore'), 'nothing\n');
    expect(await targets()).to.deep.equal(['/work/elsewhere/a.pem']);
  });
});

describe('provideEmptyFile', () => {
  const folders = new TemporaryFolders();
  afterEach(() => folders.removeAll());

  it('creates an empty file once', async () => {
    const folder = await folders.make();
    const file = await provideEmptyFile(folder);
    expect(await provideEmptyFile(folder)).to.equal(file);
    expect(await readdir(folder)).to.deep.equal([path.basename(file)]);
  });

  for (const [title, spoil] of [
    ['is a link', (file: string) => symlink('/etc/passwd', file)],
    ['is not empty', (file: string) => writeFile(file, 'x')],
    ['is a folder', (file: string) => mkdir(file)],
  ] as const) {
    it(`rejects a file that ${title}`, async () => {
      const folder = await folders.make();
      await spoil(path.join(folder, 'empty'));
      expect((await caught(() => provideEmptyFile(folder))).code).to.equal('ERR_IGNORE_FILE');
    });
  }

  it('rejects a file of another user', async () => {
    const folder = await folders.make();
    await provideEmptyFile(folder);
    expect((await caught(() => provideEmptyFile(folder, 4711))).message).to.include('another user');
  });
});
