import { findNamespaceFault, findServerNameFault, isServerName, isSkillName } from '@portolan/entry-format';
import { expect } from 'chai';
import fc from 'fast-check';

describe('findServerNameFault', () => {
  it('counts a surrogate pair as one character', () => {
    expect(findServerNameFault('x')).to.equal('has 1 character; expected 3 to 200');
    expect(findServerNameFault('ab')).to.equal('has 2 characters; expected 3 to 200');
  });
});

describe('isServerName', () => {
  const cases = [
    { name: 'com.acme/notes', expected: true },
    { name: 'io.github.ada/notes_v2', expected: true },
    { name: 'a/b', expected: true },
    { name: `${'a'.repeat(100)}/${'b'.repeat(99)}`, expected: true },
    { name: 'acme', expected: false },
    { name: 'a/b/c', expected: false },
    { name: '.acme/xy', expected: false },
    { name: 'acme/x-', expected: false },
    { name: 'ac_me/xy', expected: false },
    { name: 'acme/', expected: false },
    { name: '/notes', expected: false },
    { name: 'a/', expected: false },
    { name: 'com.acme/no tes', expected: false },
    { name: 'com.acme/notes\n', expected: false },
    { name: 'com.acme/\u0000', expected: false },
    { name: 'com.acme/..', expected: false },
    { name: 'com.acmé/notes', expected: false },
    { name: `${'a'.repeat(100)}/${'b'.repeat(100)}`, expected: false },
    { name: '', expected: false },
  ];
  for (const { name, expected } of cases) {
    it(`returns ${expected} for ${JSON.stringify(name.slice(0, 40))}`, () => {
      expect(isServerName(name)).to.equal(expected);
    });
  }

  it('needs linear time for any text', () => {
    const name = `${'a.'.repeat(10_000)}/${'b-'.repeat(10_000)}`;
    expect(isServerName(name)).to.equal(false);
  });

  it('agrees with findServerNameFault about every name', () => {
    fc.assert(
      fc.property(fc.string(), (name) => {
        expect(findServerNameFault(name) === undefined).to.equal(isServerName(name));
      }),
    );
  });
});

describe('isSkillName', () => {
  const cases = [
    { name: 'triage', expected: true },
    { name: 'a', expected: true },
    { name: '2-steps', expected: true },
    { name: 'a'.repeat(64), expected: true },
    { name: 'a'.repeat(65), expected: false },
    { name: '', expected: false },
    { name: 'Triage', expected: false },
    { name: 'tri_age', expected: false },
    { name: '-triage', expected: false },
    { name: 'triage-', expected: false },
    { name: 'com.acme/triage', expected: false },
  ];
  for (const { name, expected } of cases) {
    it(`returns ${expected} for ${JSON.stringify(name)}`, () => {
      expect(isSkillName(name)).to.equal(expected);
    });
  }
});

describe('findNamespaceFault', () => {
  for (const namespace of ['com.acme', 'abc', 'io.github.ada_l']) {
    it(`returns no fault for ${namespace}`, () => {
      expect(findNamespaceFault(namespace)).to.equal(undefined);
    });
  }
  for (const namespace of ['ab', 'com/acme', 'com acme', '.com', 'com.', 'a'.repeat(129)]) {
    it(`returns a fault for ${namespace.slice(0, 20)}`, () => {
      expect(findNamespaceFault(namespace)).to.be.a('string');
    });
  }
});
