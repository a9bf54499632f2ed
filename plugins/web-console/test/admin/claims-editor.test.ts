import { expect } from 'chai';
import fc from 'fast-check';
import { claimsOf, type ClaimRow, rowsOf, rowsSent } from '../../src/admin/forms/claims-editor.ts';

const row = (name: string, value = '', any = false): ClaimRow => ({ name, value, any });

/** Rows as a browser sends them: a tick that is not there sends nothing. */
function sent(rows: readonly ClaimRow[]): URLSearchParams {
  const form = new URLSearchParams();
  for (const [at, { name, value, any }] of rows.entries()) {
    form.set(`claims.${at}.name`, name);
    form.set(`claims.${at}.value`, value);
    if (any) form.set(`claims.${at}.any`, 'yes');
  }
  return form;
}

describe('claims rows', () => {
  const cases = [
    { title: 'nothing', rows: [], claims: {} },
    { title: 'one value', rows: [row('org', 'acme')], claims: { org: 'acme' } },
    {
      title: 'several values of one claim',
      rows: [row('team', 'a'), row('org', 'acme'), row('team', 'b')],
      claims: { team: ['a', 'b'], org: 'acme' },
    },
    { title: 'a value twice', rows: [row('org', 'acme'), row('org', 'acme')], claims: { org: 'acme' } },
    { title: 'any value', rows: [row('org', '', true)], claims: { org: [] } },
  ];
  for (const { title, rows, claims } of cases) {
    it(`mean ${title}`, () => {
      expect(claimsOf(rows)).to.deep.equal({ claims, problems: [] });
    });
  }

  const wrong = [
    { title: 'a value without a name', rows: [row('', 'acme')] },
    { title: 'any value of no claim', rows: [row('', '', true)] },
    { title: 'a name without a value, which would open more than was meant', rows: [row('org')] },
    { title: 'a value and any value', rows: [row('org', 'acme', true)] },
    { title: 'any value in one row, a value in another', rows: [row('org', '', true), row('org', 'acme')] },
    { title: 'a value in one row, none in another', rows: [row('org', 'acme'), row('org')] },
  ];
  for (const { title, rows } of wrong) {
    it(`are refused with ${title}`, () => {
      expect(claimsOf(rows).problems).to.have.length.greaterThan(0);
    });
  }

  it('survive a form submission, without the empty ones', () => {
    const rows = [row('org', 'acme'), row(''), row('team', '', true)];
    expect(rowsSent(sent(rows))).to.deep.equal([row('org', 'acme'), row('team', '', true)]);
  });

  it('represent any claims', () => {
    const word = fc.string({ minLength: 1, maxLength: 8 }).filter((text) => text.trim() === text);
    const value = fc.oneof(
      word,
      fc.uniqueArray(word, { maxLength: 4 }).filter((values) => values.length !== 1),
    );
    fc.assert(
      fc.property(fc.dictionary(word, value, { maxKeys: 5 }), (claims) => {
        const { claims: read, problems } = claimsOf(rowsSent(sent(rowsOf(claims))));
        expect(problems).to.deep.equal([]);
        expect(JSON.parse(JSON.stringify(read))).to.deep.equal(JSON.parse(JSON.stringify(claims)));
      }),
    );
  });
});
