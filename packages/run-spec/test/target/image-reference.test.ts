import { expect } from 'chai';
import { findImageReference } from '../../src/target/image-reference.ts';

const digest = `sha256:${'a'.repeat(64)}`;

describe('findImageReference', () => {
  const good = [
    { text: 'nginx', registry: undefined, repository: 'nginx', tag: undefined, digest: undefined },
    { text: 'acme/x:1.4.0', registry: undefined, repository: 'acme/x', tag: '1.4.0', digest: undefined },
    { text: 'ghcr.io/acme/x', registry: 'ghcr.io', repository: 'acme/x', tag: undefined, digest: undefined },
    {
      text: 'localhost:5000/a/b:t',
      registry: 'localhost:5000',
      repository: 'a/b',
      tag: 't',
      digest: undefined,
    },
    { text: `a__b/c-d.e:T_1@${digest}`, registry: undefined, repository: 'a__b/c-d.e', tag: 'T_1', digest },
    {
      text: '[fe80::1]:5000/a',
      registry: '[fe80::1]:5000',
      repository: 'a',
      tag: undefined,
      digest: undefined,
    },
  ];
  for (const { text, ...expected } of good) {
    it(`reads ${text}`, () => {
      expect(findImageReference(text)).to.deep.equal(expected);
    });
  }
  for (const text of [
    '',
    'A',
    'a/B',
    'a:',
    ':1',
    'a:b:c',
    'a b',
    'a/',
    '/a',
    'a//b',
    '-a',
    'a@b',
    'a@sha256:12',
    'a:-t',
    'a\n',
    '--privileged',
    'http://a',
  ]) {
    it(`finds none in ${JSON.stringify(text)}`, () => {
      expect(findImageReference(text)).to.equal(undefined);
    });
  }
});
