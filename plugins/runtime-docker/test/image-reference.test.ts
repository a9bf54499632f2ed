import { expect } from 'chai';
import { isMoving, parseImageReference } from '../src/image/image-reference.ts';

const DIGEST = `sha256:${'0'.repeat(64)}`;

describe('parseImageReference', () => {
  const cases = [
    { text: 'node', expected: ['docker.io', 'library/node', 'node', undefined, undefined] },
    { text: 'acme/notes:2', expected: ['docker.io', 'acme/notes', 'acme/notes', '2', undefined] },
    {
      text: 'docker.io/node',
      expected: ['docker.io', 'library/node', 'docker.io/node', undefined, undefined],
    },
    { text: 'localhost/x', expected: ['localhost', 'x', 'localhost/x', undefined, undefined] },
    {
      text: 'acme.example:5000/a/b',
      expected: ['acme.example:5000', 'a/b', 'acme.example:5000/a/b', undefined, undefined],
    },
    { text: '127.0.0.1:5000/a:t', expected: ['127.0.0.1:5000', 'a', '127.0.0.1:5000/a', 't', undefined] },
    { text: `acme/notes@${DIGEST}`, expected: ['docker.io', 'acme/notes', 'acme/notes', undefined, DIGEST] },
    { text: `a.b/n:1@${DIGEST}`, expected: ['a.b', 'n', 'a.b/n', '1', DIGEST] },
  ];
  for (const { text, expected } of cases) {
    it(`parses ${text}`, () => {
      const { registry, repository, name, tag, digest } = parseImageReference(text);
      expect([registry, repository, name, tag, digest]).to.deep.equal(expected);
    });
  }

  for (const text of [
    '',
    'Node',
    'a//b',
    'a:',
    'a@sha256:xyz',
    'a b',
    '../a',
    'a?x=1',
    '-x',
    'acme.example/',
    'a@b@c',
    'http://a/b',
  ]) {
    it(`refuses "${text}"`, () => {
      expect(() => parseImageReference(text)).to.throw('expected an image reference');
    });
  }
});

describe('isMoving', () => {
  const cases = {
    a: true,
    'a:latest': true,
    'a:1': false,
    [`a@${DIGEST}`]: false,
    [`a:latest@${DIGEST}`]: false,
  };
  for (const [text, expected] of Object.entries(cases)) {
    it(`returns ${expected} for ${text}`, () => {
      expect(isMoving(parseImageReference(text))).to.equal(expected);
    });
  }
});
