import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { ReachLimits } from '../../../src/server/api-sources/reach-limits.ts';
import { Folders } from '../../support/test-context.ts';

const folders = new Folders();

const limitsOf = (
  config: Partial<ConstructorParameters<typeof ReachLimits>[0]>,
  directory = '/',
): ReachLimits =>
  new ReachLimits(
    {
      allowedDirectories: [],
      allowedHosts: [],
      allowPrivateAddresses: false,
      allowServerCredentials: false,
      ...config,
    },
    directory,
  );

describe('ReachLimits.faultOfFile', () => {
  afterEach(() => folders.removeAll());

  /** Directory `in`, which is allowed, beside `out`, with links between them. */
  async function layOut(): Promise<string> {
    const root = await folders.create({ 'in/a.json': '{}', 'in/deep/b.json': '{}', 'out/c.json': '{}' });
    await symlink(join(root, 'out'), join(root, 'in/link-out'));
    await symlink(join(root, 'out/c.json'), join(root, 'in/file-out.json'));
    await symlink(join(root, 'out/not-there-yet.json'), join(root, 'in/dangling.json'));
    await symlink(join(root, 'in/deep'), join(root, 'in/link-in'));
    await symlink(join(root, 'in/circle'), join(root, 'in/circle'));
    await symlink(join(root, 'in'), join(root, 'link-to-in'));
    await mkdir(join(root, 'in-beside'));
    await writeFile(join(root, 'in-beside/d.json'), '{}');
    return root;
  }
  const isAllowed = async (path: string, directories: readonly string[] = ['./in']): Promise<boolean> => {
    const root = await layOut();
    const limits = limitsOf({ allowedDirectories: directories }, root);
    return (await limits.faultOfFile(path.replace('ROOT', root))) === undefined;
  };

  for (const path of [
    'in/a.json',
    './in/deep/../a.json',
    'ROOT/in/deep/b.json',
    'in/not/there/yet.json',
    'in/link-in/b.json',
    'in/link-in/not-there-yet.json',
    'in/..a.json',
  ]) {
    it(`permits ${path}`, async () => {
      expect(await isAllowed(path)).to.equal(true);
    });
  }

  for (const path of [
    'in',
    '.',
    'out/c.json',
    'in/../out/c.json',
    'ROOT/out/c.json',
    '/etc/passwd',
    'in-beside/d.json',
    'in/link-out/c.json',
    'in/link-out/not-there-yet.json',
    'in/link-out/../in-beside/d.json',
    'in/link-out/../a.json',
    'in/file-out.json',
    'in/dangling.json',
    'in/circle/a.json',
  ]) {
    it(`rejects ${path}`, async () => {
      expect(await isAllowed(path)).to.equal(false);
    });
  }

  it('permits a symbolic link that the operator has configured', async () => {
    expect(await isAllowed('link-to-in/a.json', ['link-to-in'])).to.equal(true);
    expect(await isAllowed('link-to-in/file-out.json', ['link-to-in'])).to.equal(false);
  });

  it('returns the same for existing and absent files, and names no directory', async () => {
    const root = await layOut();
    const limits = limitsOf({ allowedDirectories: ['in'] }, root);
    const there = await limits.faultOfFile('out/c.json');
    const absent = await limits.faultOfFile('out/d.json');
    expect(there?.expected).to.equal(absent?.expected);
    expect(JSON.stringify(there)).not.to.include(root);
  });

  it('rejects every file when no directory is permitted or the directory is absent', async () => {
    const root = await layOut();
    expect((await limitsOf({}, root).faultOfFile('in/a.json'))?.expected).to.include('no local file');
    const limits = limitsOf({ allowedDirectories: ['in'] }, root);
    await rm(join(root, 'in'), { recursive: true });
    expect(await limits.faultOfFile('in/a.json')).to.not.equal(undefined);
  });
});

describe('ReachLimits.faultOfUrl', () => {
  const cases: readonly {
    readonly url: string;
    readonly config?: Parameters<typeof limitsOf>[0];
    readonly found?: string;
  }[] = [
    { url: 'https://files.acme.example/c.json?ref=main' },
    { url: 'http://1.1.1.1/' },
    { url: 'http://127.0.0.1:9000/', found: 'the address 127.0.0.1' },
    { url: 'http://0x7f.1/', found: 'the address 127.0.0.1' },
    { url: 'http://[::ffff:10.0.0.1]/', found: 'the address ::ffff:a00:1' },
    { url: 'http://10.0.0.1/', config: { allowPrivateAddresses: true } },
    { url: 'https://files.acme.example/', config: { allowedHosts: ['*.acme.example'] } },
    {
      url: 'https://acme.example.evil.example/',
      config: { allowedHosts: ['acme.example'] },
      found: 'the host acme.example.evil.example',
    },
    {
      url: 'http://10.0.0.1/',
      config: { allowedHosts: ['acme.example'], allowPrivateAddresses: true },
      found: 'the host 10.0.0.1',
    },
    { url: 'http://10.0.0.1/', config: { allowedHosts: ['10.0.0.1'] }, found: 'the address 10.0.0.1' },
    { url: 'https://ada:hunter2@acme.example/', found: 'an address with a user or password' },
    { url: 'https://ada@acme.example/', found: 'an address with a user or password' },
    { url: 'ftp://acme.example/', found: 'another text' },
    { url: 'file:///etc/passwd', found: 'another text' },
    { url: 'acme.example', found: 'another text' },
  ];
  for (const { url, config = {}, found } of cases) {
    it(`${found === undefined ? 'permits' : 'rejects'} ${url} with ${JSON.stringify(config)}`, () => {
      const fault = limitsOf(config).faultOfUrl(url);
      expect(fault?.found).to.equal(found);
      expect(JSON.stringify(fault ?? {})).not.to.include('hunter2');
    });
  }
});

describe('ReachLimits.faultOfHost', () => {
  const cases: readonly {
    readonly title: string;
    readonly host: string;
    readonly config?: Parameters<typeof limitsOf>[0];
    readonly found: string | undefined;
  }[] = [
    { title: 'a name', host: 'git.acme.example', found: undefined },
    { title: 'a public address', host: '8.8.8.8', found: undefined },
    { title: 'loopback', host: '127.0.0.1', found: 'the address 127.0.0.1' },
    { title: 'loopback in another notation', host: '0x7f.1', found: 'the address 127.0.0.1' },
    { title: 'loopback of IPv6', host: '::1', found: 'the address ::1' },
    { title: 'loopback of IPv6 in brackets', host: '[::1]', found: 'the address ::1' },
    { title: 'an address with a zone', host: '::1%lo', found: 'no host' },
    {
      title: 'a private address when the setting permits it',
      host: '10.0.0.7',
      config: { allowPrivateAddresses: true },
      found: undefined,
    },
    {
      title: 'a permitted name in other letter case',
      host: 'Git.ACME.example',
      config: { allowedHosts: ['*.acme.example'] },
      found: undefined,
    },
    {
      title: 'a name outside of the permitted ones',
      host: 'git.other.example',
      config: { allowedHosts: ['*.acme.example'] },
      found: 'the host git.other.example',
    },
    { title: 'a user in front of the name', host: 'git@acme.example', found: 'no host' },
    { title: 'a port after the name', host: 'acme.example:22', found: 'no host' },
    { title: 'a path after the name', host: 'acme.example/x', found: 'no host' },
    { title: 'white space', host: 'acme example', found: 'no host' },
    { title: 'an empty text', host: '', found: 'no host' },
  ];
  for (const { title, host, config = {}, found } of cases) {
    it(`${found === undefined ? 'permits' : 'rejects'} ${title}`, () => {
      expect(limitsOf(config).faultOfHost({ host })?.found).to.equal(found);
    });
  }
});
