import { expect } from 'chai';
import { matchesHost, parseHostPattern } from '../../src/config/host-pattern.ts';

describe('parseHostPattern', () => {
  const good = [
    ['files.acme.example', { host: 'files.acme.example', below: false }],
    ['Files.ACME.example.', { host: 'files.acme.example', below: false }],
    ['*.acme.example', { host: 'acme.example', below: true }],
    ['bücher.example', { host: 'xn--bcher-kva.example', below: false }],
    ['192.0.2.7', { host: '192.0.2.7', below: false }],
    ['[2001:DB8::1]', { host: '[2001:db8::1]', below: false }],
  ] as const;
  for (const [text, pattern] of good) {
    it(`parses ${text}`, () => {
      expect(parseHostPattern(text)).to.deep.equal(pattern);
    });
  }

  const bad = [
    '',
    '*',
    '*.',
    'https://acme.example',
    'acme.example:443',
    'acme.example/x',
    'a@b.example',
    'a.*.example',
    '*.192.0.2.7',
    '*.[2001:db8::1]',
    '2001:db8::1',
    'a b.example',
    '%61cme.example',
  ];
  for (const text of bad) {
    it(`rejects ${JSON.stringify(text)}`, () => {
      expect(parseHostPattern(text)).to.equal(undefined);
    });
  }
});

describe('matchesHost', () => {
  const patterns = ['files.acme.example', '*.git.acme.example', '192.0.2.7'].map(
    (text) => parseHostPattern(text) ?? expect.fail(`${text} is no pattern`),
  );
  for (const [host, matches] of [
    ['files.acme.example', true],
    ['FILES.acme.example.', true],
    ['x.files.acme.example', false],
    ['a.git.acme.example', true],
    ['a.b.git.acme.example', true],
    ['git.acme.example', false],
    ['evilgit.acme.example', false],
    ['files.acme.example.evil.example', false],
    ['192.0.2.7', true],
    ['192.0.2.8', false],
    ['', false],
  ] as const) {
    it(`returns ${matches} for ${JSON.stringify(host)}`, () => {
      expect(matchesHost(host, patterns)).to.equal(matches);
    });
  }
});
