import { expect } from 'chai';
import { findImageReference, placeOfImage } from '../src/image-reference.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;

/** Text; registry, repository, tag and digest as written; registry, repository and name of its place. */
type Row = readonly [
  text: string,
  written: readonly [string | undefined, string, string | undefined, string | undefined],
  place: readonly [registry: string, repository: string, name: string],
];

const GOOD: readonly Row[] = [
  ['node', [undefined, 'node', undefined, undefined], ['docker.io', 'library/node', 'node']],
  ['acme/x:1.4.0', [undefined, 'acme/x', '1.4.0', undefined], ['docker.io', 'acme/x', 'acme/x']],
  [
    'docker.io/node',
    ['docker.io', 'node', undefined, undefined],
    ['docker.io', 'library/node', 'docker.io/node'],
  ],
  [
    'index.docker.io/node:24',
    ['index.docker.io', 'node', '24', undefined],
    ['docker.io', 'library/node', 'index.docker.io/node'],
  ],
  ['ghcr.io/acme/x', ['ghcr.io', 'acme/x', undefined, undefined], ['ghcr.io', 'acme/x', 'ghcr.io/acme/x']],
  ['ghcr.io/x', ['ghcr.io', 'x', undefined, undefined], ['ghcr.io', 'x', 'ghcr.io/x']],
  ['localhost/x', ['localhost', 'x', undefined, undefined], ['localhost', 'x', 'localhost/x']],
  [
    'localhost:5000/a/b:t',
    ['localhost:5000', 'a/b', 't', undefined],
    ['localhost:5000', 'a/b', 'localhost:5000/a/b'],
  ],
  [
    'acme.example:5000/a/b',
    ['acme.example:5000', 'a/b', undefined, undefined],
    ['acme.example:5000', 'a/b', 'acme.example:5000/a/b'],
  ],
  [
    '127.0.0.1:5000/a:t',
    ['127.0.0.1:5000', 'a', 't', undefined],
    ['127.0.0.1:5000', 'a', '127.0.0.1:5000/a'],
  ],
  [
    '[fe80::1]:5000/a',
    ['[fe80::1]:5000', 'a', undefined, undefined],
    ['[fe80::1]:5000', 'a', '[fe80::1]:5000/a'],
  ],
  ['Acme/x', ['Acme', 'x', undefined, undefined], ['Acme', 'x', 'Acme/x']],
  [`acme/x@${DIGEST}`, [undefined, 'acme/x', undefined, DIGEST], ['docker.io', 'acme/x', 'acme/x']],
  [`a.b/n:1@${DIGEST}`, ['a.b', 'n', '1', DIGEST], ['a.b', 'n', 'a.b/n']],
  [
    `a__b/c-d.e:T_1@${DIGEST}`,
    [undefined, 'a__b/c-d.e', 'T_1', DIGEST],
    ['docker.io', 'a__b/c-d.e', 'a__b/c-d.e'],
  ],
];

const BAD: readonly string[] = [
  '',
  'A',
  'Node',
  'a/B',
  'a:',
  ':1',
  'a:b:c',
  'a b',
  'a/',
  '/a',
  'a//b',
  '-a',
  '-x',
  '--privileged',
  'a@b',
  'a@b@c',
  'a@sha256:12',
  'a@sha256:xyz',
  `a@sha256:${'A'.repeat(64)}`,
  `a@SHA256:${'a'.repeat(64)}`,
  `a@1:${'a'.repeat(64)}`,
  'a:-t',
  `a:${'t'.repeat(129)}`,
  'a\n',
  'a?x=1',
  '../a',
  'http://a',
  'http://a/b',
  'acme.example/',
  'acme.example:123456/a',
  'acme..example/a',
  '-acme.example/a',
  'me@acme.example/a',
  '[::ffff:10.0.0.1]/a',
  'a'.repeat(256),
];

describe('findImageReference', () => {
  for (const [text, written, place] of GOOD) {
    it(`parses ${text}`, () => {
      const found = findImageReference(text);
      expect(found && [found.registry, found.repository, found.tag, found.digest]).to.deep.equal(written);
      const kept = found && placeOfImage(found);
      expect(kept && [kept.registry, kept.repository, kept.name]).to.deep.equal(place);
    });
  }
  for (const text of BAD) {
    it(`returns none for ${JSON.stringify(text.slice(0, 40))}`, () => {
      expect(findImageReference(text)).to.equal(undefined);
    });
  }
});
