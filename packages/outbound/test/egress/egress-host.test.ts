import { expect } from 'chai';
import fc from 'fast-check';
import { parseAuthority, parseEgressHost } from '../../src/egress/egress-host.ts';
import { trials } from '../../../../test/support/soak.ts';

describe('parseEgressHost', () => {
  const cases: readonly (readonly [string, string | undefined])[] = [
    ['API.Acme.Example', 'api.acme.example'],
    ['api.acme.example.', 'api.acme.example'],
    ['127.0.0.1', '127.0.0.1'],
    ['127.0.0.1.', '127.0.0.1'],
    ['2130706433', '127.0.0.1'],
    ['2130706433.', '127.0.0.1'],
    ['0x7f000001', '127.0.0.1'],
    ['0177.0.0.1', '127.0.0.1'],
    ['127.1', '127.0.0.1'],
    ['0', '0.0.0.0'],
    ['0x', '0.0.0.0'],
    ['１２７.0.0.1', '127.0.0.1'],
    ['127。0。0。1', '127.0.0.1'],
    ['%31%32%37.0.0.1', '127.0.0.1'],
    ['[::ffff:127.0.0.1]', '127.0.0.1'],
    ['[::FFFF:7f00:1]', '127.0.0.1'],
    ['[0:0:0:0:0:0:0:1]', '::1'],
    ['HOST。docker。internal', 'host.docker.internal'],
    ['ho\u00adst.docker.internal', 'host.docker.internal'],
    ['%68ost.docker.internal.', 'host.docker.internal'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['a_b.example', 'a_b.example'],
    ['host..', undefined],
    ['.acme.example', undefined],
    ['a..b', undefined],
    ['256.1.1.1', undefined],
    ['1.2.3.4.5', undefined],
    ['acme.0x7f', undefined],
    ['::1', undefined],
    ['[::1', undefined],
    ['[fe80::1%25eth0]', undefined],
    ['[127.0.0.1]', undefined],
    ['user@acme.example', undefined],
    ['acme.example/x', undefined],
    ['acme.example\\x', undefined],
    ['acme.example?x', undefined],
    ['acme.example#x', undefined],
    ['acme example', undefined],
    ['acme\n.example', undefined],
    ['acme%00.example', undefined],
    ['a'.repeat(64), undefined],
    [`${'a.'.repeat(127)}example`, undefined],
    ['*', undefined],
    ['', undefined],
    ['.', undefined],
  ];
  for (const [written, expected] of cases) {
    it(`parses ${JSON.stringify(written.slice(0, 70))} as ${expected}`, () => {
      expect(parseEgressHost(written)?.text).to.equal(expected);
    });
  }

  it('parses every spelling of an IPv4 address as that address', () => {
    const spelled = fc
      .tuple(fc.tuple(...Array.from({ length: 4 }, () => fc.nat(255))), fc.nat(7), fc.constantFrom('', '.'))
      .map(([bytes, way, dot]) => ({
        address: bytes.join('.'),
        written: spell(bytes, way) + (way === 7 ? '' : dot),
      }));
    fc.assert(
      fc.property(spelled, ({ address, written }) => {
        expect(parseEgressHost(written)).to.include({ kind: 'address', text: address });
      }),
      trials({ short: 500 }),
    );
  });

  it('parses its own output as the same host, and never as a name that a resolver takes for an address', () => {
    const piece = fc.constantFrom(
      '0',
      '1',
      '7f',
      '0x',
      '.',
      '.',
      ':',
      '[',
      ']',
      '%',
      '-',
      '_',
      'a',
      'F',
      '127',
      '@',
      '。',
      '１',
      '\u00ad',
    );
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.array(piece, { maxLength: 12 }).map((all) => all.join('')),
    );
    fc.assert(
      fc.property(text, (written) => {
        const host = parseEgressHost(written);
        if (host === undefined) return;
        const again = host.kind === 'address' && host.address.family === 6 ? `[${host.text}]` : host.text;
        expect(parseEgressHost(again)).to.deep.equal(host);
        if (host.kind === 'name')
          expect(host.text)
            .to.match(/^[a-z0-9_.-]+$/)
            .and.not.match(/(^|\.)(\d+|0x[0-9a-f]*)$/);
      }),
      trials({ short: 5000 }),
    );
  });
});

function spell(bytes: readonly number[], way: number): string {
  const [a = 0, b = 0, c = 0, d = 0] = bytes;
  const whole = ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
  const ways = [
    () => bytes.join('.'),
    () => String(whole),
    () => `0x${whole.toString(16)}`,
    () => `0${whole.toString(8)}`,
    () => bytes.map((byte) => `0${byte.toString(8)}`).join('.'),
    () => bytes.map((byte) => `0X${byte.toString(16).toUpperCase()}`).join('.'),
    () => `${a}.${(b << 16) | (c << 8) | d}`,
    () => `[::ffff:${bytes.join('.')}]`,
  ];
  const written = ways[way]?.() ?? '';
  return written;
}

describe('parseAuthority', () => {
  const cases: readonly (readonly [string, string | undefined])[] = [
    ['acme.example:443', 'acme.example 443'],
    ['[::1]:80', '::1 80'],
    ['0x7f.1:80', '127.0.0.1 80'],
    ['acme.example:0443', 'acme.example 443'],
    ['acme.example', undefined],
    ['acme.example:', undefined],
    ['acme.example:0', undefined],
    ['acme.example:65536', undefined],
    ['acme.example:4 43', undefined],
    ['acme.example:+443', undefined],
    ['::1:80', undefined],
    [':443', undefined],
    ['user@acme.example:443', undefined],
    ['http://acme.example:443', undefined],
    ['acme.example:443/', undefined],
  ];
  for (const [written, expected] of cases) {
    it(`parses "${written}" as ${expected}`, () => {
      const target = parseAuthority(written);
      expect(target && `${target.host.text} ${target.port}`).to.equal(expected);
    });
  }
});
