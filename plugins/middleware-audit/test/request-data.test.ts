import { expect } from 'chai';
import fc from 'fast-check';
import { describeRequestData } from '../src/request-data.ts';
import { trials } from '../../../test/support/soak.ts';

const defaults = { includeClaimValues: false, maxDataSize: 1024 * 1024 };

function shown(value: unknown, options: Partial<typeof defaults> = {}): unknown {
  return describeRequestData(Buffer.from(JSON.stringify(value)), { ...defaults, ...options });
}

describe('describeRequestData', () => {
  const cases = [
    {
      title: 'shows what is harmless',
      value: { name: 'a/b', n: [1, null, true] },
      expected: { name: 'a/b', n: [1, null, true] },
    },
    {
      title: 'masks the values of claims',
      value: { claims: { org: 'acme', t: ['x'] } },
      expected: { claims: { org: '[claim]', t: '[claim]' } },
    },
    {
      title: 'masks other claims',
      value: [{ publicClaims: { org: 'acme' } }, { claims: 'acme' }],
      expected: [{ publicClaims: { org: '[claim]' } }, { claims: '[claim]' }],
    },
    {
      title: 'masks secrets of every type, at any depth',
      value: { a: [{ token: 't', password: ['p'], secret: { s: 1 } }] },
      expected: { a: [{ token: '[secret]', password: '[secret]', secret: '[secret]' }] },
    },
    {
      title: 'shows yes and no',
      value: { isSecret: true, token: null },
      expected: { isSecret: true, token: null },
    },
    {
      title: 'masks the value of a variable whose name says it',
      value: { name: 'API_KEY', value: 'v', default: 'd' },
      expected: { name: 'API_KEY', value: '[secret]', default: '[secret]' },
    },
    {
      title: 'masks the value of a variable that is said to be secret',
      value: { name: 'X', isSecret: true, value: 'v' },
      expected: { name: 'X', isSecret: true, value: '[secret]' },
    },
    {
      title: 'masks the argument after its name',
      value: ['--password', 'p', '--verbose', 'v'],
      expected: ['--password', '[secret]', '--verbose', 'v'],
    },
    {
      title: 'masks addresses',
      value: { url: 'https://u:p@host.example/a?k=v' },
      expected: { url: 'https://[secret]@host.example/a?[secret]' },
    },
    {
      title: 'masks JSON inside a text',
      value: { data: '{"claims":{"org":"acme"},"token":"t"}' },
      expected: { data: '{"claims":{"org":"[claim]"},"token":"[secret]"}' },
    },
    {
      title: 'keeps keys of prototypes to themselves',
      value: JSON.parse('{"__proto__":{"token":"t"}}'),
      expected: JSON.parse('{"__proto__":{"token":"[secret]"}}'),
    },
    { title: 'shows a text', value: 'notes', expected: 'notes' },
  ];
  for (const { title, value, expected } of cases) {
    it(title, () => {
      expect(JSON.stringify(shown(value))).to.equal(JSON.stringify(expected));
    });
  }

  it('contains claim values if configured, with masked secrets', () => {
    const value = { claims: { org: 'acme', token: 't' } };
    expect(shown(value, { includeClaimValues: true })).to.deep.equal({
      claims: { org: 'acme', token: '[secret]' },
    });
  });

  for (const text of ['{"token":"hush"', 'token=hush', '', '{"a":1} hush', '\ufeff{"a":1}hush']) {
    it(`contains only the size of ${JSON.stringify(text)}`, () => {
      const body = Buffer.from(text);
      expect(describeRequestData(body, defaults)).to.equal(`[${body.length} bytes that are not JSON]`);
    });
  }

  it('contains only the size of invalid UTF-8', () => {
    expect(describeRequestData(Buffer.from([0x22, 0xff, 0x22]), defaults)).to.equal(
      '[3 bytes that are not JSON]',
    );
  });

  it('truncates a large text at a character boundary', () => {
    // "🧭" is four bytes, after one for the quotation mark.
    const cuts = [1, 4, 5, 8, 9].map((maxDataSize) => shown('🧭🧭', { maxDataSize }));
    expect(cuts).to.deep.equal(['"', '"', '"🧭', '"🧭', '"🧭🧭']);
    expect(shown('🧭🧭', { maxDataSize: 10 })).to.equal('🧭🧭');
  });

  it('masks before it truncates', () => {
    expect(shown({ token: 'hush', more: 'x'.repeat(100) }, { maxDataSize: 15 })).to.equal('{"token":"[secr');
  });

  it('stops at deeply nested values', () => {
    const deep = Buffer.from('['.repeat(100_000) + '"hush"' + ']'.repeat(100_000));
    expect(JSON.stringify(describeRequestData(deep, defaults)))
      .to.include('too deep')
      .and.not.to.include('hush');
    let text = '"hush"';
    for (let depth = 0; depth < 12; depth += 1) text = JSON.stringify([text]);
    expect(describeRequestData(Buffer.from(text), defaults)).to.be.an('array');
  });

  it('contains no secret and no claim, at any place', () => {
    const secret = 'Hu5h-7f3a9c';
    const holders = [
      { token: secret },
      { 'X-Api-Key': [secret] },
      { claims: { team: secret } },
      { claims: { team: [secret] } },
      { Credentials: { deep: { deeper: secret } } },
      { name: 'DB_PASSWORD', value: secret },
      { text: `Authorization: Bearer ${secret}` },
      { url: `https://me:${secret}@host.example/` },
      { url: `https://host.example/?x=${secret}` },
      { args: ['--token', secret] },
      { args: [`--token=${secret}`] },
      { data: JSON.stringify({ password: secret }) },
    ];
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 6 },
        fc.constantFrom(...holders),
        fc.array(tie('tree'), { maxLength: 4 }),
        fc.dictionary(fc.string(), tie('tree'), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(tree, fc.integer({ min: 1, max: 2000 }), (value, maxDataSize) => {
        expect(JSON.stringify(shown(value, { maxDataSize }))).not.to.include(secret);
      }),
      trials({ short: 1000 }),
    );
  });

  it('contains the beginning of a large body, exactly as its complete form begins', () => {
    const words = fc.oneof(
      fc.string({ maxLength: 40 }),
      fc.constantFrom(
        '--password',
        'token',
        'https://u:p@h.example/?q=1',
        '{"token":"t","a":[1,"x"]}',
        'eyJa.b.c',
      ),
    );
    const bodies = fc.oneof(
      fc.array(words, { maxLength: 60 }),
      fc.dictionary(
        fc.oneof(words, fc.constantFrom('value', 'name', 'claims')),
        fc.jsonValue({ maxDepth: 4 }),
        {
          maxKeys: 40,
        },
      ),
    );
    fc.assert(
      fc.property(
        bodies,
        fc.integer({ min: 1, max: 400 }),
        fc.boolean(),
        (body, maxDataSize, includeClaimValues) => {
          const whole = JSON.stringify(shown(body, { includeClaimValues }));
          const short = shown(body, { includeClaimValues, maxDataSize });
          const text = typeof short === 'string' && !whole.startsWith('"') ? short : JSON.stringify(short);
          expect(whole.startsWith(text)).to.equal(true);
          if (Buffer.byteLength(whole) <= maxDataSize) expect(text).to.equal(whole);
        },
      ),
      trials({ short: 500 }),
    );
  });
});
