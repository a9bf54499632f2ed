import { expect } from 'chai';
import { isSubpath } from '../src/is-subpath.ts';

describe('isSubpath', () => {
  const parent = 'https://acme.example/reg';
  const cases = [
    { title: 'the address itself', address: parent, expected: true },
    { title: 'the address with a trailing slash', address: `${parent}/`, expected: true },
    { title: 'an address below it', address: `${parent}/registry/main?limit=1`, expected: true },
    { title: 'a longer segment', address: `${parent}istry`, expected: false },
    { title: 'an address above it', address: 'https://acme.example/', expected: false },
    { title: 'a path with .. segments', address: `${parent}/../other`, expected: false },
    { title: 'another host', address: 'https://acme.example.evil.example/reg', expected: false },
    { title: 'another port', address: 'https://acme.example:8443/reg', expected: false },
    { title: 'another scheme', address: 'http://acme.example/reg', expected: false },
  ];
  for (const { title, address, expected } of cases) {
    it(`returns ${expected} for ${title}`, () => {
      expect(isSubpath(new URL(address), new URL(parent))).to.equal(expected);
    });
  }

  it('returns false for addresses without an origin', () => {
    expect(isSubpath(new URL('data:a'), new URL('data:a'))).to.equal(false);
  });
});
