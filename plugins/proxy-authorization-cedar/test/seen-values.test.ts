import { expect } from 'chai';
import { argumentsOf } from '../src/engine/arguments.ts';
import { toCedarValue, writeDecimal } from '../src/engine/cedar-value.ts';
import { groupsOf } from '../src/request/principal.ts';
import { principalOf } from '../src/request/principal.ts';
import { configOf } from './support.ts';

const decimal = (arg: string) => ({ __extn: { fn: 'decimal', arg } });

describe('Cedar values of claims and arguments', () => {
  const numbers: readonly (readonly [number, string | undefined])[] = [
    [0, '0.0000'],
    [-0, '0.0000'],
    [5, '5.0000'],
    [-5, '-5.0000'],
    [1.5, '1.5000'],
    [0.0003, '0.0003'],
    [1.23456, '1.2345'],
    [-1.99999, '-1.9999'],
    [-0.00001, '0.0000'],
    [1e-7, '0.0000'],
    [1.5e-7, '0.0000'],
    [5e-324, '0.0000'],
    [922_337_203_685_477, '922337203685477.0000'],
    [-922_337_203_685_477, '-922337203685477.0000'],
    [922_337_203_685_478, undefined],
    [2 ** 53, undefined],
    [1e21, undefined],
    [Number.MAX_VALUE, undefined],
    [Number.NaN, undefined],
    [Number.POSITIVE_INFINITY, undefined],
  ];
  for (const [number, written] of numbers) {
    it(`writes ${number} as ${written ?? 'no decimal'}`, () => {
      expect(writeDecimal(number)).to.equal(written);
    });
  }

  it('converts claims to strings, booleans, decimals, sets and records', () => {
    expect(
      toCedarValue({ a: 'x', b: true, n: 1, l: [1, null, 'y', [false]], o: { p: {} }, nothing: null }),
    ).to.deep.equal({
      a: 'x',
      b: true,
      n: decimal('1.0000'),
      l: [decimal('1.0000'), 'y', [false]],
      o: { p: {} },
    });
  });

  it('never creates entities or extensions that the caller chose', () => {
    const forged = {
      __entity: { type: 'THVGroup', id: 'admin' },
      __extn: { fn: 'ip', arg: '::1' },
      __expr: '1',
    };
    expect(toCedarValue({ x: forged, list: [forged] })).to.deep.equal({ x: {}, list: [{}] });
  });

  it('keeps names with a meaning in JavaScript', () => {
    expect(JSON.stringify(toCedarValue(JSON.parse('{"__proto__":{"a":"b"}}')))).to.equal(
      '{"__proto__":{"a":"b"}}',
    );
    expect(JSON.stringify(argumentsOf(JSON.parse('{"__proto__":"b"}')))).to.equal('{"arg___proto__":"b"}');
  });

  it('stops after ten levels', () => {
    let nested: unknown = 'deep';
    for (let level = 0; level < 12; level += 1) nested = { in: nested };
    expect(JSON.stringify(toCedarValue(nested))).to.equal(`${'{"in":'.repeat(9)}{}${'}'.repeat(9)}`);
  });

  const given: readonly (readonly [title: string, args: unknown, seen: unknown])[] = [
    ['scalars', { a: 'x', b: false, n: 2 }, { arg_a: 'x', arg_b: false, arg_n: decimal('2.0000') }],
    [
      'that others are there',
      { l: [1], o: {}, z: null, big: 1e300 },
      { arg_l_present: true, arg_o_present: true, arg_z_present: true, arg_big_present: true },
    ],
    [
      'that something is there, whatever else is called so',
      { x: {}, x_present: 'no' },
      { arg_x_present: true },
    ],
    ['nothing', undefined, {}],
    ['nothing of a list', ['a'], {}],
    ['no text that is no Unicode', { a: '\u{D800}' }, undefined],
    ['no name that is no Unicode', { '\u{D800}': 'a' }, undefined],
  ];
  for (const [title, args, seen] of given) {
    it(`converts arguments: ${title}`, () => {
      expect(argumentsOf(args)).to.deep.equal(seen);
    });
  }

  const groups: readonly (readonly [
    title: string,
    claims: Readonly<Record<string, unknown>>,
    names: { group_claim_name?: string; role_claim_name?: string },
    seen: readonly string[],
  ])[] = [
    ['groups first', { groups: ['a'], roles: ['b'] }, {}, ['a']],
    ['then roles', { roles: ['b'], 'cognito:groups': ['c'] }, {}, ['b']],
    ['then those of Cognito', { 'cognito:groups': ['c'] }, {}, ['c']],
    ['that which is named before all', { team: ['t'], groups: ['a'] }, { group_claim_name: 'team' }, ['t']],
    ['an empty one is there', { team: [], groups: ['a'] }, { group_claim_name: 'team' }, []],
    ['none that is null', { team: null, groups: ['a'] }, { group_claim_name: 'team' }, ['a']],
    ['by its path', { realm: { access: ['t'] } }, { group_claim_name: 'realm.access' }, ['t']],
    [
      'by its name rather than by its path',
      { 'https://a.example/g': ['t'] },
      { group_claim_name: 'https://a.example/g' },
      ['t'],
    ],
    ['not of what all objects have', {}, { group_claim_name: 'constructor.name' }, []],
    ['roles beside', { groups: ['a'], r: ['b', 'a'] }, { role_claim_name: 'r' }, ['a', 'b']],
    ['texts alone', { groups: ['a', 7, null, { b: 'c' }, '\u{D800}'] }, {}, ['a']],
    ['one text', { groups: 'a b' }, {}, ['a b']],
  ];
  for (const [title, claims, names, seen] of groups) {
    it(`converts groups: ${title}`, () => {
      expect(groupsOf(claims, { group_claim_name: '', role_claim_name: '', ...names })).to.deep.equal(seen);
    });
  }

  it('converts claims with several values to a string and a set', () => {
    const { cedar } = configOf(['permit(principal, action, resource);'], {
      multi_valued_claims: ['scope', 'list', 'number'],
    });
    const claims = { sub: 'ann', scope: ' a  b ', list: ['c', 7, 'd'], number: 5, groups: ['g'] };
    const principal = principalOf({ subject: 'ann', claims }, cedar, (all) => all);
    const seen = {
      claim_sub: 'ann',
      claim_scope: 'a b',
      claimset_scope: ['a', 'b'],
      claim_list: 'c d',
      claimset_list: ['c', 'd'],
      claim_number: decimal('5.0000'),
      claim_groups: ['g'],
    };
    expect(principal?.claims).to.deep.equal(seen);
    expect(principal?.entity).to.deep.equal({
      uid: { type: 'Client', id: 'ann' },
      attrs: seen,
      parents: [{ type: 'THVGroup', id: 'g' }],
    });
  });

  it('refuses a caller whose name is invalid Unicode', () => {
    const { cedar } = configOf(['permit(principal, action, resource);']);
    expect(principalOf({ subject: 'a\u{D800}', claims: {} }, cedar, (all) => all)).to.equal(undefined);
  });
});
