import { expect } from 'chai';
import { liesBelow } from '../src/lies-below.ts';

describe('liesBelow', () => {
  const parent = 'https://acme.example/reg';
  const cases = [
    { title: 'the address itself', address: parent, expected: true },
    { title: 'a slash behind it', address: `${parent}/`, expected: true },
    { title: 'what stands below', address: `${parent}/registry/main?limit=1`, expected: true },
    { title: 'a longer segment', address: `${parent}istry`, expected: false },
    { title: 'what stands above', address: 'https://acme.example/', expected: false },
    { title: 'a path that leads out', address: `${parent}/../other`, expected: false },
    { title: 'another host', address: 'https://acme.example.evil.example/reg', expected: false },
    { title: 'another port', address: 'https://acme.example:8443/reg', expected: false },
    { title: 'another scheme', address: 'http://acme.example/reg', expected: false },
  ];
  for (const { title, address, expected } of cases) {
    it(`is ${expected} for ${title}`, () => {
      expect(liesBelow(new URL(address), new URL(parent))).to.equal(expected);
    });
  }

  it('is false for addresses without an origin', () => {
    expect(liesBelow(new URL('data:a'), new URL('data:a'))).to.equal(false);
  });
});
