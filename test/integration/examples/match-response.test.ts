import { expect } from 'chai';
import { expectJson, expectLines, expectText } from '../../support/examples/match-response.ts';

describe('expectJson', () => {
  const equal: readonly (readonly [unknown, unknown])[] = [
    [{ a: 1 }, { a: 1 }],
    [{ a: { b: 2 } }, { a: '…' }],
    [
      { a: 1, b: 2 },
      { a: 1, '…': '…' },
    ],
    [[{ a: 1, b: 2 }], [{ a: 1, '…': '…' }]],
  ];
  for (const [actual, shown] of equal) {
    it(`accepts ${JSON.stringify(actual)} for ${JSON.stringify(shown)}`, () => expectJson(actual, shown));
  }

  const different: readonly (readonly [unknown, unknown])[] = [
    [{ a: 1 }, { a: 2 }],
    [{ a: 1, b: 2 }, { a: 1 }],
    [{ a: 1 }, { a: 1, b: '…' }],
    [{ b: 1 }, { a: 1, '…': '…' }],
    [[1], []],
    [[1], [1, 2]],
    [{ 0: 1 }, [1]],
  ];
  for (const [actual, shown] of different) {
    it(`rejects ${JSON.stringify(actual)} for ${JSON.stringify(shown)}`, () => {
      expect(() => expectJson(actual, shown)).to.throw();
    });
  }
});

describe('expectText', () => {
  it('accepts any text within a line in place of …', () => {
    expectText('/srv/a.yaml has no problems\n', '…/a.yaml has no problems');
    expect(() => expectText('one\ntwo', '…two')).to.throw();
    expect(() => expectText('a.yaml has 1 problem', 'a.yaml has no problems')).to.throw();
  });
});

describe('expectLines', () => {
  it('accepts lines in order with other lines between them', () => {
    expectLines('one\ntwo\nthree\n', 'one\nth…e');
    expect(() => expectLines('one\ntwo\nthree\n', 'three\none')).to.throw();
    expect(() => expectLines('one\ntwo\nthree\n', 'tw')).to.throw();
  });
});
