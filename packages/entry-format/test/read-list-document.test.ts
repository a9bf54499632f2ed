import { readListDocument } from '@portolan/entry-format';
import { expect } from 'chai';
import fc from 'fast-check';

const KEYS = { list: 'servers', beside: 'metadata' };

function read(text: string | Uint8Array) {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  const pieces = readListDocument(bytes, KEYS);
  const found: unknown[] = [];
  const sizes: number[] = [];
  for (;;) {
    const { done, value } = pieces.next();
    if (done === true) return { found, sizes, end: value };
    sizes.push(value.length);
    for (const taken of value) found.push(taken.ok ? taken.value : taken.because);
  }
}

describe('readListDocument', () => {
  it('returns the list that JSON.parse returns, at any place in the document', () => {
    const other = fc.dictionary(
      fc.string().filter((key) => !Object.values(KEYS).includes(key) && key !== '__proto__'),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(
        other,
        fc.array(fc.jsonValue({ maxDepth: 4 })),
        fc.jsonValue({ maxDepth: 4 }),
        other,
        fc.constantFrom(undefined, 2),
        (before, servers, metadata, after, indent) => {
          const text = JSON.stringify({ ...before, servers, metadata, ...after }, undefined, indent);
          const { found, end } = read(text);
          const parsed = JSON.parse(text);
          expect(found).to.deep.equal(parsed.servers);
          expect(end).to.deep.equal({
            list: 'a list',
            isMap: true,
            beside: { ok: true, value: parsed.metadata },
          });
        },
      ),
    );
  });

  it('yields a large list in small pieces', () => {
    const servers = Array.from({ length: 1000 }, (_, at) => ({
      name: `dev.acme/s${at}`,
      text: 'x'.repeat(1300),
    }));
    const { found, sizes } = read(JSON.stringify({ servers }));
    expect(found).to.deep.equal(servers);
    expect(sizes.length).to.be.greaterThan(50);
    expect(Math.max(...sizes)).to.be.lessThan(20);
  });

  for (const [text, list, isMap] of [
    ['[]', 'nothing', false],
    ['7', 'nothing', false],
    ['{}', 'nothing', true],
    ['{"metadata":{"servers":[1]}}', 'nothing', true],
    ['{"servers":null}', 'null', true],
    ['{"servers":{"a":1}}', 'something else', true],
    ['{"servers":[1],"servers":[2]}', 'two of them', true],
  ] as const) {
    it(`reports for ${text} that the list is ${list}`, () => {
      expect(read(text).end).to.include({ list, isMap });
    });
  }

  it('returns valid elements next to a rejected one', () => {
    const deep = `${'['.repeat(65)}${']'.repeat(65)}`;
    const large = JSON.stringify('x'.repeat(4 * 1024 * 1024));
    expect(read(`{"servers":[1,${deep},${large},2]}`).found).to.deep.equal([1, 'too deep', 'too large', 2]);
    const bytes = Buffer.concat([Buffer.from('{"servers":["'), Buffer.from([0xff]), Buffer.from('",2]}')]);
    expect(read(bytes).found).to.deep.equal(['not UTF-8', 2]);
  });

  for (const text of ['', '{"servers":[1', '{"servers":[1]} {}', '{"servers":[1,]}', "{'servers':[]}"]) {
    it(`rejects ${JSON.stringify(text)}`, () => {
      expect(() => read(text)).to.throw(/JSON|empty/i);
    });
  }
});
