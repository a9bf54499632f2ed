import { expect } from 'chai';
import fc from 'fast-check';
import { inspect } from 'node:util';
import type { PluginContext } from '@portolan/plugin-api';
import { askIndex, authorizeIndexes, basicAuthorization } from '../src/index.ts';

const NETRC = `# machine py.acme.example login old password old
machine other.example login o password 1
machine py.acme.example
  login me
  account team
  password "a \\"b\\""
macdef init
machine macro.example login m password m

machine py.acme.example login late password late
default login any password any
`;

describe('authorizeIndexes', () => {
  const addresses = ['https://u:p%40ss@go.acme.example:8443/proxy', 'https://token@tok.acme.example/'];
  const cases: readonly (readonly [address: string, login: readonly [string, string] | undefined])[] = [
    ['https://py.acme.example/simple/a/', ['me', 'a "b"']],
    ['http://py.acme.example:3141/simple/', ['me', 'a "b"']],
    ['https://other.example/', ['o', '1']],
    ['https://macro.example/', undefined],
    ['https://somewhere.example/', undefined],
    ['https://go.acme.example:8443/proxy/a/@v/list', ['u', 'p@ss']],
    ['https://go.acme.example:8443/proxy', ['u', 'p@ss']],
    ['https://go.acme.example:8443/proxying/a', undefined],
    ['https://go.acme.example/proxy/a', undefined],
    ['http://go.acme.example:8443/proxy/a', undefined],
    ['https://tok.acme.example/a', ['token', '']],
    ['https://sub.py.acme.example/', undefined],
  ];
  const authorize = authorizeIndexes(addresses, NETRC);
  for (const [address, login] of cases) {
    it(`sends ${login === undefined ? 'nothing' : `the login of ${login[0]}`} to ${address}`, () => {
      const expected = login === undefined ? undefined : basicAuthorization(...login);
      expect(authorize(new URL(address))).to.equal(expected);
    });
  }

  it('sends the credentials of an address only below its path, on the same host, port and scheme', () => {
    const part = fc.stringMatching(/^[a-z]{1,6}$/);
    const place = fc.record({
      scheme: fc.constantFrom('http', 'https'),
      host: fc.constantFrom('a.example', 'b.example', 'a.example.b.example'),
      port: fc.constantFrom('', ':8080'),
      path: fc.array(part, { maxLength: 3 }),
    });
    fc.assert(
      fc.property(place, place, (index, asked) => {
        const root = `${index.host}${index.port}/${index.path.join('/')}`;
        const sends = authorizeIndexes([`${index.scheme}://me:key@${root}`], undefined);
        const address = `${asked.scheme}://${asked.host}${asked.port}/${asked.path.join('/')}`;
        const isBelow =
          index.scheme === asked.scheme &&
          index.host === asked.host &&
          index.port === asked.port &&
          index.path.every((name, at) => asked.path[at] === name);
        expect(sends(new URL(address)) !== undefined).to.equal(isBelow);
      }),
    );
  });
});

describe('askIndex', () => {
  const asked: (readonly [address: string, authorization: string | null])[] = [];
  const openFetch: PluginContext['openFetch'] = async () => ({
    fetch: async (input, init) => {
      const url = new URL(input instanceof Request ? input.url : input);
      asked.push([url.href, new Headers(init?.headers).get('authorization')]);
      expect(init?.redirect).to.equal('manual');
      const location = new URLSearchParams(url.search).get('to');
      if (url.pathname === '/loop') return redirect(url.href);
      if (location !== null) return redirect(location);
      return url.pathname === '/closed' ? new Response('', { status: 401 }) : new Response('found');
    },
    close: async () => undefined,
  });
  const redirect = (location: string): Response => new Response('', { status: 302, headers: { location } });
  const options = { environment: {}, home: '/', workingDirectory: '/' };
  const ask = async (address: string, authorization = 'Bearer key'): Promise<unknown> =>
    await askIndex(new URL(address), '*/*', { openFetch }, options, () => authorization).catch(
      (error: unknown) => error,
    );
  beforeEach(() => asked.splice(0));

  const moves: readonly (readonly [to: string, authorization: string | null])[] = [
    ['/b', 'Bearer key'],
    ['https://other.example/b', null],
    ['http://a.example/b', null],
    ['https://a.example:8443/b', null],
  ];
  for (const [to, authorization] of moves) {
    it(`follows a redirect to ${to} with ${authorization ?? 'nothing'}`, async () => {
      expect(await ask(`https://a.example/a?to=${encodeURIComponent(to)}`)).to.include({ text: 'found' });
      const { href } = new URL(to, 'https://a.example');
      expect(asked[1]).to.deep.equal([href, authorization]);
    });
  }

  it('rejects a redirect loop, a redirect to another protocol and one with credentials', async () => {
    expect(await ask('https://a.example/a?to=https://me:word@other.example/b')).to.include({
      code: 'ERR_PACKAGE_INDEX',
    });
    expect(await ask('https://a.example/loop')).to.include({ code: 'ERR_PACKAGE_INDEX' });
    expect(await ask('https://a.example/a?to=file:///etc/passwd')).to.include({ code: 'ERR_PACKAGE_INDEX' });
  });

  for (const odd of ['\u{1b}[31m', '\n', '€']) {
    it(`does not show credentials that contain ${JSON.stringify(odd)}, which a header cannot have`, async () => {
      const error = await ask('https://a.example/a', `Bearer t0p${odd}secret`);
      expect(error).to.include({ code: 'ERR_PACKAGE_INDEX' });
      expect(inspect(error)).to.include('cannot be sent').and.not.include('secret').and.not.include('8364');
      expect(asked).to.deep.equal([]);
    });
  }

  it('distinguishes absent and rejected credentials, and shows none', async () => {
    const shown = await ask('https://me:word@a.example/closed');
    expect(shown).to.have.property('hint').that.includes('does not take the credentials');
    expect(shown).to.have.property('message').that.does.not.include('word');
    const none = await askIndex(new URL('https://a.example/closed'), '*/*', { openFetch }, options).catch(
      (error: unknown) => error,
    );
    expect(none).to.have.property('hint').that.includes('portolan config set-build-auth-file');
  });
});
