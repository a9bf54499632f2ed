import { expect } from 'chai';
import { mapClaims } from '@portolan/authorization';
import type { ClaimSet } from '@portolan/plugin-api';

const TOKEN = {
  sub: 'ann',
  org: 'acme',
  realm_access: { roles: ['admin', 'user'] },
  'https://acme.example/team': 'eng',
  'a/b': { 'c~d': 'odd' },
  '~1': 'tilde one',
  groups: [{ name: 'g0' }, { name: 'g1' }],
  '': { '': 'empty names' },
};

function parse(text: string): ClaimSet {
  // SAFETY: every text stands in this file and is an object.
  return JSON.parse(text) as ClaimSet;
}

describe('mapClaims', () => {
  const places: readonly (readonly [pointer: string, value: unknown])[] = [
    ['/sub', 'ann'],
    ['/realm_access/roles', ['admin', 'user']],
    ['/realm_access/roles/1', 'user'],
    ['/https:~1~1acme.example~1team', 'eng'],
    ['/a~1b/c~0d', 'odd'],
    ['/~01', 'tilde one'],
    ['/groups/1/name', 'g1'],
    ['//', 'empty names'],
    ['', TOKEN],
    // Nothing is there, so the claim is absent.
    ['/nowhere', undefined],
    ['/realm_access/Roles', undefined],
    ['/realm_access/roles/2', undefined],
    ['/realm_access/roles/01', undefined],
    ['/realm_access/roles/-1', undefined],
    ['/sub/0', undefined],
    ['/sub/length', undefined],
    ['/groups/1/name/x', undefined],
    ['/https://acme.example/team', undefined],
    ['/__proto__', undefined],
    ['/constructor/name', undefined],
    ['/realm_access/toString', undefined],
    ['/realm_access/roles/map', undefined],
    // No pointer at all.
    ['sub', undefined],
    ['#/sub', undefined],
  ];
  for (const [pointer, value] of places) {
    it(`reads ${JSON.stringify(pointer)} as ${value === undefined ? 'absent' : JSON.stringify(value).slice(0, 40)}`, () => {
      const claims = mapClaims(TOKEN, { roles: pointer });
      expect(claims['roles']).to.deep.equal(value);
      expect(Object.hasOwn(claims, 'roles')).to.equal(value !== undefined);
      expect(claims['org']).to.equal('acme');
    });
  }

  it('changes nothing without a mapping', () => {
    expect(mapClaims(TOKEN, {})).to.deep.equal(TOKEN);
  });

  it('removes a mapped claim when its pointer finds nothing, even when the token has that name', () => {
    const claims = mapClaims({ roles: ['superuser'], org: 'acme' }, { roles: '/realm_access/roles' });
    expect(claims).to.deep.equal({ org: 'acme' });
  });

  it('reads every pointer from the original token, so that the order of mappings has no effect', () => {
    expect(mapClaims({ a: 'x', b: 'y' }, { a: '/b', b: '/a' })).to.deep.equal({ a: 'y', b: 'x' });
  });

  it('preserves a value of any type, and null', () => {
    const token = { at: { number: 3, nothing: null, map: { a: 1 }, no: false } };
    const mapping = { number: '/at/number', nothing: '/at/nothing', map: '/at/map', no: '/at/no' };
    expect(mapClaims(token, mapping)).to.deep.equal({ ...token, ...token.at });
  });

  it('splits scope and scp at spaces, also when they are mapped', () => {
    const cases: readonly (readonly [value: unknown, expected: unknown])[] = [
      ['read write', ['read', 'write']],
      [' read   write ', ['read', 'write']],
      ['read', ['read']],
      ['', []],
      [
        ['read write', 'x'],
        ['read write', 'x'],
      ],
      [3, 3],
    ];
    for (const [value, expected] of cases) {
      expect(mapClaims({ scope: value, scp: value }, {})).to.deep.equal({ scope: expected, scp: expected });
      const moved = mapClaims({ nested: value }, { scope: '/nested' });
      expect(moved).to.deep.equal({ nested: value, scope: expected });
    }
    const others = { scopes: 'a b', Scope: 'a b', groups: 'a b' };
    expect(mapClaims(others, {}), 'no other claim is split').to.deep.equal(others);
  });

  it('treats __proto__ as a name and changes no prototype', () => {
    const token = parse('{"__proto__":{"role":"admin"},"constructor":"x","sub":"ann"}');
    const claims = mapClaims(token, { inner: '/__proto__/role' });
    expect(claims['role'], 'no prototype was set').to.equal(undefined);
    expect(Object.hasOwn(claims, '__proto__')).to.equal(true);
    expect(claims['constructor']).to.equal('x');
    expect(claims['inner']).to.equal('admin');
    const mapped = mapClaims({ nested: { role: 'admin' } }, Object.fromEntries([['__proto__', '/nested']]));
    expect(mapped['role']).to.equal(undefined);
    expect(Object.getPrototypeOf(mapped)).to.equal(Object.prototype);
    expect(Object.hasOwn({}, 'role')).to.equal(false);
  });

  it('does not change the token', () => {
    const token = parse('{"scope":"a b","deep":{"roles":["x"]}}');
    const before = structuredClone(token);
    mapClaims(token, { scope: '/deep/roles', roles: '/deep/roles' });
    expect(token).to.deep.equal(before);
  });
});
