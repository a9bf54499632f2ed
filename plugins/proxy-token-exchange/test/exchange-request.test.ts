import { expect } from 'chai';
import { clientAuthorization, exchangeForm } from '../src/exchange-request.ts';
import { readExchangeResponse } from '../src/read-exchange-response.ts';
import type { TokenExchangeConfig } from '../src/token-exchange-config.ts';
import { SETTINGS } from './settings.ts';

describe('token exchange request', () => {
  const TYPE = 'urn:ietf:params:oauth:token-type:';
  const PLAIN = {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: 'a+b/c=',
    subject_token_type: `${TYPE}access_token`,
    requested_token_type: `${TYPE}access_token`,
  };
  const ROWS: readonly { readonly given: Partial<TokenExchangeConfig>; readonly adds: object }[] = [
    { given: {}, adds: {} },
    { given: { subject_token_type: '' }, adds: {} },
    { given: { subject_token_type: 'id_token' }, adds: { subject_token_type: `${TYPE}id_token` } },
    { given: { subject_token_type: 'jwt' }, adds: { subject_token_type: `${TYPE}jwt` } },
    { given: { subject_token_type: `${TYPE}id_token` }, adds: { subject_token_type: `${TYPE}id_token` } },
    { given: { audience: 'a & b', scopes: ['x', 'y z'] }, adds: { audience: 'a & b', scope: 'x y z' } },
    { given: { audience: '', scopes: [] }, adds: {} },
  ];
  for (const { given, adds } of ROWS) {
    it(`for ${JSON.stringify(given)} contains ${JSON.stringify(adds)}`, () => {
      const form = new URLSearchParams(exchangeForm({ ...SETTINGS, ...given }, 'a+b/c='));
      expect(Object.fromEntries(form)).to.deep.equal({ ...PLAIN, ...adds });
    });
  }

  it('authenticates only with both id and secret, each form-encoded', () => {
    expect(clientAuthorization('', 's')).to.equal(undefined);
    expect(clientAuthorization('i', '')).to.equal(undefined);
    const [, encoded = ''] = clientAuthorization('my client:1', 'a%b ü+')?.split(' ') ?? [];
    expect(Buffer.from(encoded, 'base64').toString()).to.equal('my+client%3A1:a%25b+%C3%BC%2B');
  });
});

describe('token exchange response', () => {
  const GOOD = { access_token: 't', token_type: 'Bearer', issued_token_type: 'x' };
  const read = (answer: unknown, status = 200): unknown =>
    readExchangeResponse(status, Buffer.from(typeof answer === 'string' ? answer : JSON.stringify(answer)));

  const LIFETIMES: readonly (readonly [unknown, number | undefined])[] = [
    [3600, 3_600_000],
    ['3600', 3_600_000],
    [undefined, undefined],
    [0, undefined],
    [-1, undefined],
    ['soon', undefined],
    [null, undefined],
  ];
  for (const [said, lifetimeMs] of LIFETIMES) {
    it(`is valid for ${String(lifetimeMs)} ms with expires_in ${String(said)}`, () => {
      expect(read({ ...GOOD, expires_in: said })).to.deep.equal({ value: 't', lifetimeMs });
    });
  }

  const LIES: readonly (readonly [unknown, string])[] = [
    ['', 'not a JSON object'],
    ['<html>', 'not a JSON object'],
    ['[]', 'not a JSON object'],
    [{ ...GOOD, access_token: undefined }, 'access_token'],
    [{ ...GOOD, access_token: '' }, 'access_token'],
    [{ ...GOOD, access_token: 7 }, 'access_token'],
    [{ ...GOOD, access_token: 'a\r\nX-Admin: 1' }, 'access_token'],
    [{ ...GOOD, access_token: 'a b' }, 'access_token'],
    [{ ...GOOD, access_token: 'x'.repeat(8001) }, 'access_token'],
    [{ ...GOOD, token_type: 7 }, 'token_type'],
    [{ ...GOOD, token_type: 'DPoP' }, 'token_type'],
    [{ ...GOOD, issued_token_type: undefined }, 'issued_token_type'],
    [{ ...GOOD, issued_token_type: '' }, 'issued_token_type'],
  ];
  for (const [answer, about] of LIES) {
    it(`is refused for its ${about}: ${JSON.stringify(answer).slice(0, 60)}`, () => {
      expect(read(answer)).to.be.a('string').and.to.include(about);
    });
  }

  it('reports only the code of an error', () => {
    const said = { error: 'invalid_grant', error_description: 'subject eyJhbGciOi is no good' };
    expect(read(said, 400)).to.equal('it responded with status 400 and invalid_grant');
    expect(read({ error: 'Token eyJhbGciOi' }, 400)).to.equal('it responded with status 400');
    expect(read(said)).to.equal('it responded with status 200 and invalid_grant');
    expect(read(GOOD, 302)).to.equal('it responded with status 302');
  });
});
