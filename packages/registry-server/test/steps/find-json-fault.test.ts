import { expect } from 'chai';
import fc from 'fast-check';
import { findJsonFault } from '../../src/steps/body/find-json-fault.ts';

describe('findJsonFault', () => {
  const faults = [
    ['', 'it is no JSON'],
    ['{', 'it is no JSON'],
    ['{"a":1,}', 'it is no JSON'],
    ['{"a":1} {}', 'it is no JSON'],
    ['"a":1', 'it is no JSON'],
    ['{"a":1,"a":2}', 'the key "a" stands twice in one object'],
    ['{"a":1,"\\u0061":2}', 'the key "a" stands twice in one object'],
    ['[{"b":{"a":1,"c":[{}],"a":2}}]', 'the key "a" stands twice in one object'],
    ['{"__proto__":{}}', 'it has the key "__proto__"'],
    ['{"a":[{"__proto\\u005f_":1}]}', 'it has the key "__proto__"'],
    ['['.repeat(65) + ']'.repeat(65), 'it is nested more than 64 levels deep'],
    ['{"a":'.repeat(500_000), 'it is nested more than 64 levels deep'],
  ] as const;
  for (const [text, fault] of faults) {
    it(`reports in ${text.slice(0, 40)} that ${fault}`, () => {
      expect(findJsonFault(text)).to.equal(fault);
    });
  }

  const sound = [
    '{}',
    '{"a":{"a":{"a":1}}}',
    '[{"a":1},{"a":2}]',
    '{"a":"{\\"a\\":1,\\"a\\":2}"}',
    '{"a":"[[[[\\\\"}',
    '{"a":"a","b":"a"}',
    '['.repeat(64) + ']'.repeat(64),
  ];
  for (const text of sound) {
    it(`reports nothing in ${text.slice(0, 40)}`, () => {
      expect(findJsonFault(text)).to.equal(undefined);
    });
  }

  it('reads an unclosed string in linear time', () => {
    // A megabyte of them took minutes when each was a place to begin at.
    const text = `"${'\\"'.repeat(500_000)}`;
    expect(findJsonFault(text)).to.equal('it is no JSON');
  });

  it('reports nothing in output of JSON.stringify, and each inserted duplicate key', () => {
    const value = fc.jsonValue({ maxDepth: 5 }).filter((json) => !JSON.stringify(json).includes('__proto__'));
    fc.assert(
      fc.property(value, fc.string(), (json, key) => {
        const text = JSON.stringify(json);
        const name = JSON.stringify(key === '__proto__' ? 'a' : key);
        expect(findJsonFault(text)).to.equal(undefined);
        expect(findJsonFault(`{${name}:${text},"x${name.slice(1)}:${text}}`)).to.equal(undefined);
        expect(findJsonFault(`[{${name}:${text},${name}:1}]`)).to.match(/stands twice/);
      }),
    );
  });
});
