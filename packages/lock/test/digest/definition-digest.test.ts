import { createHash } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { digestDefinition, digestDefinitionText, digestValue } from '../../src/digest/definition-digest.ts';
import { TOOL } from '../support/definitions.ts';

function digestOf(value: unknown): string {
  const result = digestDefinition(value);
  return 'fault' in result ? result.fault : result.digest;
}

/** Returns the same JSON with other key order and white space. */
function rewrite(value: unknown, random: () => number): string {
  const blank = (): string => ['', ' ', '\n', '\t'][Math.floor(random() * 4)] ?? '';
  if (Array.isArray(value))
    return `[${blank()}${value.map((one) => rewrite(one, random)).join(`${blank()},`)}]`;
  if (value === null || typeof value !== 'object') return `${blank()}${JSON.stringify(value)}`;
  const members = Object.entries(value)
    .map((one) => [random(), one] as const)
    .toSorted(([left], [right]) => left - right)
    .map(([, [name, member]]) => `${blank()}${JSON.stringify(name)}${blank()}:${rewrite(member, random)}`);
  return `{${members.join(',')}${blank()}}`;
}

describe('digestDefinition', () => {
  it('digestDefinition › is SHA-256 of the canonical JSON of RFC 8785', () => {
    const json = '{"a":"é","b":1,"z":[true,null]}';
    const digest = `sha256:${createHash('sha256').update(json).digest('hex')}`;
    expect(digestDefinition({ z: [true, null], b: 1.0, a: 'e\u0301' })).to.deep.equal({ digest, json });
  });

  it('digestDefinition › ignores key order and white space', () => {
    const json = fc.json({ depthSize: 'medium', stringUnit: 'grapheme' });
    fc.assert(
      fc.property(json, fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })), (text, numbers) => {
        const value: unknown = JSON.parse(text);
        const rewritten = rewrite(value, () => numbers.next().value);
        expect(digestDefinitionText(rewritten)).to.deep.equal(digestDefinition(value));
      }),
    );
  });

  it('digestDefinition › differs when a value differs', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (left, right) => {
        const isSame = digestOf({ x: left }) === digestOf({ x: right });
        const texts = [left, right].map((one) => digestValue(one));
        expect(isSame).to.equal(JSON.stringify(texts[0]) === JSON.stringify(texts[1]));
      }),
    );
  });

  const meta: readonly (readonly [key: string, counts: boolean])[] = [
    ['ui', true],
    ['ui/resourceUri', true],
    ['io.modelcontextprotocol/ui', true],
    ['openai/outputTemplate', true],
    ['lastUpdated', false],
    ['uid', false],
    ['com.example/ui', false],
  ];
  for (const [key, counts] of meta) {
    it(`digestDefinition › ${counts ? 'includes' : 'ignores'} the key ${key} of _meta`, () => {
      const [one, other] = [1, 2].map((value) => digestOf({ name: 'a', _meta: { [key]: value } }));
      expect(one === other).to.equal(!counts);
      expect(digestOf({ name: 'a' }) === one).to.equal(!counts);
    });
  }

  it('digestDefinition › includes unknown members, and _meta that is not an object', () => {
    expect(digestOf({ ...TOOL, future: 1 })).to.not.equal(digestOf(TOOL));
    expect(digestOf({ name: 'a', _meta: 'text' })).to.not.equal(digestOf({ name: 'a' }));
  });

  const faults: readonly (readonly [title: string, json: string, fault: string])[] = [
    ['a text with a lone surrogate', String.raw`{"a":"\ud800"}`, 'surrogate'],
    ['a name with a lone surrogate', String.raw`{"\udc00":1}`, 'surrogate'],
    ['a repeated name', '{"a":1,"a":1}', 'occurs twice'],
    ['a name that an escape repeats', String.raw`{"x":[{"a":1,"\u0061":2}]}`, 'occurs twice'],
    ['a number out of range', '{"a":1e999}', 'number'],
    ['text that is not JSON', '{', 'not JSON'],
    ['nesting of 600 levels', `${'['.repeat(600)}${']'.repeat(600)}`, 'nested deeper'],
    ['nesting of 200,000 levels', `${'['.repeat(200_000)}${']'.repeat(200_000)}`, 'nested deeper'],
  ];
  for (const [title, json, fault] of faults) {
    it(`digestDefinitionText › reports ${title}`, () => {
      expect(digestDefinitionText(json)).to.have.property('fault').that.includes(fault);
    });
  }

  it('digestDefinition › reports deep nesting of a value with texts outside ASCII', () => {
    let value: unknown = 'é';
    for (let level = 0; level < 50_000; level += 1) value = [value];
    expect(digestDefinition(value)).to.have.property('fault').that.includes('nested');
  });

  it('digestDefinition › keeps the member __proto__', () => {
    const value: unknown = JSON.parse('{"__proto__":{"a":"é"},"_meta":{"x":1}}');
    expect(digestDefinition(value)).to.include({ json: '{"__proto__":{"a":"é"}}' });
  });
});
