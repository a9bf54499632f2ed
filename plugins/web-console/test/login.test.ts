import fc from 'fast-check';
import { expect } from 'chai';
import { BrowserCookies } from '../src/login/browser-cookies.ts';
import { returnPath } from '../src/login/login-pages.ts';
import { isDue, isGood, readSession, toJson, toSession } from '../src/login/session-data.ts';

describe('BrowserCookies', () => {
  for (const [publicUrl, line] of [
    ['https://a.example', '__Host-portolan-session=x; Path=/; HttpOnly; SameSite=Lax; Secure'],
    ['https://a.example/', '__Host-portolan-session=x; Path=/; HttpOnly; SameSite=Lax; Secure'],
    ['https://a.example/mcp/', '__Secure-portolan-session=x; Path=/mcp; HttpOnly; SameSite=Lax; Secure'],
    ['http://localhost:8080', 'portolan-session=x; Path=/; HttpOnly; SameSite=Lax'],
    ['http://localhost:8080/mcp', 'portolan-session=x; Path=/mcp; HttpOnly; SameSite=Lax'],
  ] as const) {
    it(`have the strictest attributes that ${publicUrl} allows`, () => {
      expect(new BrowserCookies(publicUrl).set('session', 'x')).to.equal(line);
    });
  }
});

describe('returnPath', () => {
  for (const [text, path] of [
    ['/', '/'],
    ['/browse/main?q=a%20b&tag=x', '/browse/main?q=a%20b&tag=x'],
    ['/browse/..//x', '/'],
    ['/a/../b', '/b'],
    ['browse', '/'],
    ['', '/'],
    [null, '/'],
    ['/logout', '/'],
    ['/login/callback?code=x', '/'],
    ['/loginx', '/loginx'],
    ['/a#b', '/a'],
    ['/%5Cevil.example', '/%5Cevil.example'],
  ] as const) {
    it(`returns ${JSON.stringify(path)} for ${JSON.stringify(text)}`, () => {
      expect(returnPath(text)).to.equal(path);
    });
  }

  it('stays on the host for any input', () => {
    const piece = fc.constantFrom(
      '/',
      '\\',
      '.',
      '..',
      '@',
      ':',
      '%2f',
      '%5c',
      '\t',
      '\n',
      '?',
      '#',
      'evil.example',
      'https:',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece).map((all) => `/${all.join('')}`),
        ),
        (text) => {
          const path = returnPath(text);
          const url = new URL(path, 'https://own.example');
          return url.origin === 'https://own.example' && /^\/(?![/\\])/.test(path);
        },
      ),
    );
  });
});

describe('SessionData', () => {
  const tokens = { token: 't', expiresAt: new Date(100_000), renewal: 'r', name: 'Ada' };

  it('round-trips through its stored form', () => {
    const session = toSession('main', tokens, 0);
    expect(readSession(JSON.parse(JSON.stringify(toJson(session))))).to.deep.equal(session);
    expect(readSession({ provider: 'main' })).to.equal(undefined);
  });

  for (const { title, more, at, expected } of [
    { title: 'a new token', more: {}, at: 0, expected: [true, false] },
    { title: 'one that ends within 30 s', more: {}, at: 70_000, expected: [true, true] },
    {
      title: 'a short one in its first half',
      more: { expiresAt: new Date(10_000) },
      at: 4999,
      expected: [true, false],
    },
    {
      title: 'a short one in its second half',
      more: { expiresAt: new Date(10_000) },
      at: 5000,
      expected: [true, true],
    },
    { title: 'one that has ended', more: {}, at: 100_000, expected: [false, true] },
    { title: 'one that nothing renews', more: { renewal: undefined }, at: 99_999, expected: [true, false] },
    { title: 'one without an end', more: { expiresAt: undefined }, at: 9e15, expected: [true, false] },
  ]) {
    it(`is valid, and due for renewal, as this table expects: ${title}`, () => {
      const session = toSession('main', { ...tokens, ...more }, 0);
      expect([isGood(session, at), isDue(session, at)]).to.deep.equal(expected);
    });
  }
});
