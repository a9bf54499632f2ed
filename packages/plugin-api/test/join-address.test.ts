import { expect } from 'chai';
import { findPathFault, joinAddress, resolveReference } from '../src/join-address.ts';

const BASE = new URL('http://user:password@127.0.0.1:8080/base/sse?key=1#part');

describe('joinAddress', () => {
  const joined: readonly (readonly [path: string, expected: string])[] = [
    ['/', '/'],
    ['/messages?id=1', '/messages?id=1'],
    ['/a?b=//evil.example/c', '/a?b=//evil.example/c'],
    ['/a//b', '/a//b'],
    ['/@evil.example', '/@evil.example'],
    ['/user@evil.example:1/x', '/user@evil.example:1/x'],
    ['/http://evil.example/', '/http://evil.example/'],
    ['/%2f%2fevil.example', '/%2f%2fevil.example'],
    ['/%5cevil.example', '/%5cevil.example'],
    ['/a/../b/./c', '/b/c'],
    ['/:1', '/:1'],
  ];
  for (const [path, expected] of joined) {
    it(`keeps host, port and credentials of the base for ${path}`, () => {
      expect(joinAddress(BASE, path).href).to.equal(`http://user:password@127.0.0.1:8080${expected}`);
    });
  }

  it('does not change the base', () => {
    const base = new URL(BASE);
    joinAddress(base, '/x?y');
    expect(base.href).to.equal(BASE.href);
  });

  const refused: Readonly<Record<string, readonly string[]>> = {
    'does not begin with a slash': ['', 'a', '?a', '\\a', 'http://evil.example/', '@evil.example'],
    'begins with two slashes': [
      '//evil.example',
      '///evil.example',
      '/\\evil.example',
      '/.//evil.example',
      '/./\\evil.example',
      '/%2e//evil.example',
      '/a/..//evil.example',
      '/a/%2E%2e/\\evil.example',
      '/..\\/evil.example',
    ],
    'holds a control character': ['/\t/evil.example', '/a\nb', '/a\rb', '/\u0000', '/a\u007f', '/a\u2028'],
    'holds a fragment': ['/a#b'],
  };
  for (const [fault, paths] of Object.entries(refused)) {
    for (const path of paths) {
      it(`throws for ${JSON.stringify(path)}, which ${fault}`, () => {
        expect(findPathFault(path)).to.equal(fault);
        expect(() => joinAddress(BASE, path)).to.throw(TypeError, fault);
      });
    }
  }
});

describe('resolveReference', () => {
  const resolved: readonly (readonly [reference: string, expected: string])[] = [
    ['messages', 'http://a.example:8080/base/messages'],
    ['?id=1', 'http://a.example:8080/base/sse?id=1'],
    ['/messages', 'http://a.example:8080/messages'],
    ['HTTP://A.example:8080/m', 'http://a.example:8080/m'],
    // Of another host, for callers that compare the origin.
    ['https://b.example/m', 'https://b.example/m'],
    ['http:\\\\b.example/m', 'http://b.example/m'],
  ];
  const base = new URL('http://a.example:8080/base/sse');
  for (const [reference, expected] of resolved) {
    it(`resolves ${reference}`, () => {
      expect(resolveReference(base, reference)?.href).to.equal(expected);
    });
  }

  const refused = [
    '//b.example/m',
    '\\\\b.example/m',
    '/\\b.example/m',
    ' //b.example/m',
    '\u0001//b.example/m',
    '\ufeff//b.example/m',
    '/\t/b.example/m',
    'http://user@a.example:8080/m',
    'http://user:password@b.example/m',
    'http://a.example:8080//b.example/m',
    'http://a.example:8080/.//b.example/m',
    'a/../..//b.example',
    'http://[',
    'http://a b/',
  ];
  for (const reference of refused) {
    it(`returns undefined for ${JSON.stringify(reference)}`, () => {
      expect(resolveReference(base, reference)).to.equal(undefined);
    });
  }
});
