import type { Refusal } from '@portolan/registry-client';
import { expect } from 'chai';
import { refusalError } from '../../src/publish/refusal-error.ts';

function refusal(given: Partial<Refusal>): Refusal {
  const [code, hint] = ['ERR_X', undefined];
  return { status: 400, code, error: 'No.', hint, issues: [], requestId: 'r-1', ...given };
}

describe('refusalError', () => {
  it('has the sentence, the issues and the hint of the server', () => {
    const issues = [{ path: 'packages[0].identifier', message: 'is missing', severity: 'error' }];
    const refused = refusal({ error: 'The document breaks rules.', issues, hint: 'Mend it.' });
    expect(refusalError(refused, { hasToken: true })).to.include({
      code: 'ERR_SERVER_REFUSED',
      hint: 'Mend it.',
      message: 'The document breaks rules.\n  packages[0].identifier  is missing',
    });
  });

  it('prints nothing that would move the cursor', () => {
    const refused = refusal({ error: 'Bad \u001B[2J\u001B]0;title\u0007name\r\n.' });
    expect(refusalError(refused, { hasToken: true }).message).to.match(/^[\x20-\x7E]+$/);
  });

  const hints = [
    { title: 'names the flag when there was no token', status: 401, hasToken: false, hint: '--token-file' },
    {
      title: 'names the explanation when the token was refused',
      status: 401,
      hasToken: true,
      hint: 'claims explain',
    },
    {
      title: 'names the explanation when access was refused',
      status: 403,
      hasToken: true,
      hint: 'claims explain',
    },
    { title: 'says what to do about a changed resource', status: 412, hasToken: true, hint: 'read it again' },
    { title: 'names the request id of a failure', status: 500, hasToken: true, hint: 'request id r-1' },
  ];
  for (const { title, status, hasToken, hint } of hints) {
    it(title, () => {
      expect(refusalError(refusal({ status }), { hasToken }).hint).to.include(hint);
    });
  }
});
