import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KindProblem } from '@portolan/plugin-api';
import { expect } from 'chai';
import type { GitConfig } from '../src/index.ts';
import { checkGit } from '../src/check-git.ts';
import { gitBlock } from './git-block.ts';

const GOOD = gitBlock({ url: 'https://git.acme.example' });

/** Everything that must be refused before git hears of it, by the key it stands at. */
const REFUSED: Readonly<Record<'repository' | 'branch' | 'tag' | 'commit' | 'path', readonly string[]>> = {
  repository: [
    'ext::sh -c id',
    'ext::sh%20-c%20id',
    'fd::17/foo',
    'https::git.acme.example/x',
    'file:///etc',
    'FILE:///etc',
    'git://git.acme.example/x.git',
    'ftp://git.acme.example/x.git',
    'ssh+git://git.acme.example/x.git',
    '/srv/catalogue.git',
    './catalogue.git',
    '../catalogue.git',
    '~/catalogue.git',
    'C:\\catalogue',
    'c:/catalogue',
    '--upload-pack=touch /tmp/x',
    '--upload-pack=id',
    '-u:x',
    '-oProxyCommand=id:x',
    'ssh://-oProxyCommand=id/x',
    'ssh://-oProxyCommand=id@git.acme.example/x',
    'ssh://git@-oProxyCommand=id/x',
    'git@-oProxyCommand=id:x',
    'git@git.acme.example:-x',
    'ssh://git@git.acme.example/-x',
    'ssh://git:password@git.acme.example/x',
    'ssh://git@git.acme.example:0/x',
    'ssh://git@git.acme.example:70000/x',
    'https://reader:password@git.acme.example/x.git',
    'https://reader@git.acme.example/x.git',
    'https://@git.acme.example/x.git',
    'https://git.acme.example/x.git?token=abc',
    'https://git.acme.example/x.git#main',
    'https://git.acme.example/x.git?',
    'https://git.acme.example/x%0d%0aHost:%20y',
    'https://git.acme.example/x\nhttps://y',
    'https://git.acme.example/a b',
    'https://git.acme.example/',
    'https://',
    'https:///x.git',
    'catalogue',
  ],
  branch: [
    '--upload-pack=id',
    '-x',
    'a..b',
    'a b',
    'a:b',
    'main^{}',
    'main~1',
    'ma*n',
    'main?',
    'a\\b',
    '@{u}',
    '@',
    '/main',
    'main/',
    'a//b',
    '.main',
    'a/.b',
    'main.lock',
    'main.',
    'ma\nin',
    'x'.repeat(251),
  ],
  tag: ['-d', 'v1^{commit}', 'v1..v2', 'v 1'],
  commit: [
    'HEAD',
    'main',
    'd9a7f1c',
    '-d9a7f1c06f4b3c7a0d9d5f4f1c2b3a495867768',
    `${'a'.repeat(40)}^`,
    'g'.repeat(40),
  ],
  path: [
    '/etc/passwd',
    '../registry.json',
    'a/../../registry.json',
    'a/..',
    'a//b.json',
    '.git/config',
    'a/.GIT/config',
    '~/registry.json',
    'C:/registry.json',
    '-registry.json',
    'a\\b.json',
    'a\u0000b',
    'a\nb',
    'servers/[a.json',
    'servers/{a,b.json',
    'servers/{a/b,c}.json',
  ],
};

describe('checkGit', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'portolan-check-'));
    await writeFile(join(folder, 'secret'), 'x');
  });
  afterEach(async () => {
    await rm(folder, { recursive: true });
  });

  function check(more: Partial<GitConfig>): readonly KindProblem[] {
    return checkGit({ ...GOOD, ...more }, { directory: folder, trustsLoopback: false });
  }

  for (const [place, texts] of Object.entries(REFUSED)) {
    for (const text of texts) {
      it(`refuses the ${place} ${JSON.stringify(text.slice(0, 60))}`, () => {
        const places = check({ [place]: text }).map((problem) => problem.place);
        expect(places).to.include(place);
      });
    }
  }

  it('shows no address that may contain a password', () => {
    const [problem] = check({ repository: 'https://reader:pass-word@git.acme.example/x.git' });
    expect(JSON.stringify(problem)).to.not.include('pass-word');
  });

  const ssh = { keyFile: 'secret', knownHostsFile: './secret' };
  const GOOD_ONES: readonly Partial<GitConfig>[] = [
    {},
    { repository: 'https://git.acme.example:8443/a/b/c.git/' },
    { repository: 'https://git.acme.example/~ada/x' },
    { repository: 'http://git.acme.example/x', allowHttp: true },
    { repository: 'https://[2606:4700::1]/x.git', caCertPath: 'secret' },
    { repository: 'git@git.acme.example:mcp/catalogue.git', ssh },
    { repository: 'git.acme.example:mcp/catalogue.git', ssh },
    { repository: 'ssh://ada@git.acme.example:2222/srv/catalogue.git', ssh },
    { repository: 'ssh://git.acme.example/~/catalogue.git', ssh },
    { branch: 'feature/servers-2' },
    { branch: '@home' },
    { tag: 'v1.4.0' },
    { commit: 'D9A7F1C06F4B3C7A0D9D5F4F1C2B3A4958677681' },
    { commit: 'a'.repeat(64) },
    { path: '.' },
    { path: './servers/' },
    { path: 'servers/**/*.json' },
    { path: 'servers/{a,b}[0-9].json' },
    { path: '..json' },
    { auth: { username: 'reader', passwordFile: 'secret' } },
  ];
  for (const good of GOOD_ONES) {
    it(`accepts ${JSON.stringify(good)}`, () => expect(check(good)).to.deep.equal([]));
  }

  const ODD: readonly (readonly [Partial<GitConfig>, string])[] = [
    [{ repository: 'http://git.acme.example/x', allowHttp: false }, 'repository'],
    [{ branch: 'main', tag: 'v1' }, 'tag'],
    [{ tag: 'v1', commit: 'a'.repeat(40) }, 'commit'],
    [{ repository: 'git@git.acme.example:x' }, 'ssh'],
    [{ ssh }, 'ssh'],
    [{ repository: 'git@git.acme.example:x', ssh, auth: { username: 'a', passwordFile: 'secret' } }, 'auth'],
    [{ repository: 'git@git.acme.example:x', ssh, caCertPath: 'secret' }, 'caCertPath'],
    [{ auth: { username: 'a:b', passwordFile: 'secret' } }, 'auth.username'],
    [{ auth: { username: 'a\npassword=b', passwordFile: 'secret' } }, 'auth.username'],
    [{ timeout: '0s' }, 'timeout'],
    [{ timeout: '2h' }, 'timeout'],
  ];
  for (const [odd, place] of ODD) {
    it(`refuses ${JSON.stringify(odd)}`, () => {
      const problems = check(odd);
      expect(problems.map((problem) => problem.place)).to.deep.equal([place]);
      expect(problems[0]?.isWarning).to.equal(undefined);
    });
  }

  const ABSENT: readonly (readonly [Partial<GitConfig>, string])[] = [
    [{ repository: 'git@git.acme.example:x', ssh: { ...ssh, keyFile: 'none' } }, 'ssh.keyFile'],
    [{ repository: 'git@git.acme.example:x', ssh: { ...ssh, knownHostsFile: '.' } }, 'ssh.knownHostsFile'],
    [{ auth: { username: 'a', passwordFile: 'none' } }, 'auth.passwordFile'],
    [{ caCertPath: 'none' }, 'caCertPath'],
  ];
  for (const [block, place] of ABSENT) {
    it(`warns when ${place} does not exist or is not a file`, () => {
      const problems = check(block);
      expect(problems.map((problem) => [problem.place, problem.isWarning])).to.deep.equal([[place, true]]);
    });
  }
});

describe('loopback', () => {
  const repositories: readonly (readonly [repository: string, config: boolean, api: boolean])[] = [
    ['http://localhost/a.git', true, false],
    ['http://127.0.0.1:8080/a.git', true, false],
    ['http://127.1.2.3/a.git', true, false],
    ['http://[::1]:8080/a.git', true, false],
    ['http://localhost.evil.example/a.git', false, false],
    ['http://a.localhost/a.git', false, false],
    ['http://0.0.0.0/a.git', false, false],
    ['http://10.0.0.1/a.git', false, false],
    ['http://git.acme.example/a.git', false, false],
    ['file:///srv/git/a.git', true, false],
    ['file:///srv/git%20repositories/a.git/', true, false],
    ['file://localhost/srv/a.git', false, false],
    ['file://host/srv/a.git', false, false],
    ['file:////host/srv/a.git', false, false],
    ['file:///', false, false],
    ['file:///srv/a.git?x', false, false],
    ['https://git.acme.example/a.git', true, true],
  ];
  for (const [repository, config, api] of repositories)
    for (const [trustsLoopback, accepted] of [
      [true, config],
      [false, api],
    ] as const)
      it(`${accepted ? 'accepts' : 'refuses'} ${repository} ${trustsLoopback ? 'in a configuration file' : 'from the API'}`, () => {
        const problems = checkGit(
          { ...GOOD, repository, allowHttp: false },
          { directory: '/', trustsLoopback },
        );
        expect(problems.filter(({ place }) => place === 'repository')).to.have.length(accepted ? 0 : 1);
      });

  it('refuses credentials with a file:// repository', () => {
    const problems = checkGit(
      { ...GOOD, repository: 'file:///srv/a.git', caCertPath: '/dev/null' },
      { directory: '/', trustsLoopback: true },
    );
    expect(problems.map(({ place }) => place)).to.include('caCertPath');
  });
});
