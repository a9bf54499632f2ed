import { expect } from 'chai';
import { loginRefused } from '../src/errors.ts';
import { inWords } from '../src/errors.ts';
import { oauthErrorOf } from '../src/login/code-flow.ts';

/** All that a log could write of an error. */
function writtenOf(error: unknown): string {
  if (!(error instanceof Error)) return JSON.stringify(error) ?? '';
  return `${error.name}: ${error.message} ${writtenOf(error.cause)}`;
}

describe('inWords', () => {
  const answer = { body: { access_token: 'secret' } };
  const ofLibrary = Object.assign(new TypeError('the type is missing', { cause: answer }), {
    code: 'OAUTH_X',
  });

  it('keeps messages and codes, and removes response bodies at any depth', () => {
    const wrapped = new Error('outer', { cause: new Error('inner', { cause: ofLibrary }) });
    expect(writtenOf(inWords(wrapped))).to.equal('Error: outer Error: inner TypeError: the type is missing ');
    expect(inWords(ofLibrary)).to.include({ code: 'OAUTH_X', name: 'TypeError' });
    expect(writtenOf(wrapped), 'the one that was thrown stays as it is').to.include('secret');
  });

  it('keeps the error code of a refusal, and removes the rest of the response', () => {
    const refused = { error: 'invalid_client', error_description: 'secret' };
    const thrown = loginRefused(
      'no',
      undefined,
      Object.assign(new Error('refused', { cause: refused }), refused),
    );
    expect(oauthErrorOf(thrown.cause)).to.equal('invalid_client');
    expect(thrown.cause).to.not.have.property('error_description');
  });

  it('returns errors without a response unchanged', () => {
    const error = new Error('outer', { cause: new RangeError('inner') });
    expect(inWords(error)).to.equal(error);
  });

  it('hides the content of values that are not errors', () => {
    expect([writtenOf(inWords(answer)), inWords(undefined)]).to.deep.equal([
      'Error: a value that is not an error was thrown ',
      undefined,
    ]);
  });

  it('is applied to the errors of logins', () => {
    expect(writtenOf(loginRefused('no', undefined, ofLibrary))).to.not.include('secret');
  });
});
