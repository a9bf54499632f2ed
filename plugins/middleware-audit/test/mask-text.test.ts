import { expect } from 'chai';
import fc from 'fast-check';
import { looksSecret, maskText, maskTokens } from '../src/mask-text.ts';

const token = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ1In0.c2ln';

describe('looksSecret', () => {
  const secret = [
    'token',
    'accessToken',
    'ACCESS_TOKEN',
    'x-api-key',
    'API_KEY',
    'apikey',
    'password',
    'passwd',
    'client_secret',
    'Authorization',
    'Proxy-Authorization',
    'set-cookie',
    'private_key',
    'credentials',
    'ｔｏｋｅｎ',
    'p.a.s.s.w.o.r.d',
  ];
  for (const name of secret) {
    it(`treats ${name} as a secret name`, () => {
      expect(looksSecret(name)).to.equal(true);
    });
  }
  for (const name of ['name', 'version', 'key', 'url', 'description', 'author', 'passage', '']) {
    it(`does not treat ${JSON.stringify(name)} as a secret name`, () => {
      expect(looksSecret(name)).to.equal(false);
    });
  }
});

describe('maskText', () => {
  const cases = [
    { text: 'Notes for teams.', expected: 'Notes for teams.' },
    { text: `a ${token} b`, expected: 'a [secret] b' },
    { text: `x%20${token}`, expected: 'x%20[secret]' },
    { text: 'Authorization: Bearer abc', expected: 'Authorization: [secret]' },
    { text: 'send Bearer abcdefgh12 along', expected: 'send Bearer [secret] along' },
    { text: 'API_KEY=abc, next', expected: 'API_KEY=[secret], next' },
    { text: '--env password="a b" -x', expected: '--env password=[secret] -x' },
    { text: '{ "password": "a b", broken', expected: '{ "password": [secret], broken' },
    { text: 'config:token=abc', expected: 'config:token=[secret]' },
    { text: 'https://u:p@w@host.example/a', expected: 'https://[secret]@host.example/a' },
    { text: 'https://host.example/a?sig=abc&x=1#y', expected: 'https://host.example/a?[secret]' },
    { text: 'https://host.example/a#access=abc', expected: 'https://host.example/a#[secret]' },
    { text: 'see https://host.example/a@2.', expected: 'see https://host.example/a@2.' },
    { text: 'postgres://u:p@db/x and ://', expected: 'postgres://[secret]@db/x and ://' },
  ];
  for (const { text, expected } of cases) {
    it(`masks ${text} as ${expected}`, () => {
      expect(maskText(text)).to.equal(expected);
    });
  }

  it('takes linear time', () => {
    const pieces = [
      'eyJ',
      'eyJ.',
      'token',
      'token=',
      'token="',
      "token='",
      '://',
      '://a@',
      'a-',
      'a.',
      'Bearer ',
      '?',
    ];
    for (const piece of pieces) {
      // A pattern that looks at every place again and again would take hours, not the time-out of a test.
      expect(maskText(piece.repeat(200_000 / piece.length))).to.be.a('string');
    }
  });

  it('leaves no token in any text', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, after) => {
        const text = maskText(`${before} ${token} ${after}`);
        expect(text).not.to.include(token);
      }),
    );
  });
});

describe('maskTokens', () => {
  it('leaves similar texts unchanged', () => {
    for (const text of ['eyJ', 'eyJabc', '1.2.3', 'com.acme.notes', 'a.eyJ']) {
      expect(maskTokens(text)).to.equal(text);
    }
  });
});
