import type { Refusal } from '@portolan/registry-client';
import { expect } from 'chai';
import { refusalError } from '../../src/publish/refusal-error.ts';

function refusal(given: Partial<Refusal>): Refusal {
  const [code, hint] = ['ERR_X', undefined];
  return { status: 400, code, error: 'No.', hint, issues: [], requestId: 'r-1', ...given };
}

const ASKING = { tokenFrom: 'user', server: 'https://registry.acme.example' } as const;

describe('refusalError', () => {
  it('contains the message, the issues and the hint of the server', () => {
    const issues = [{ path: 'packages[0].identifier', message: 'is missing', severity: 'error' }];
    const refused = refusal({ error: 'The document breaks rules.', issues, hint: 'Mend it.' });
    expect(refusalError(refused, ASKING)).to.include({
      code: 'ERR_SERVER_REFUSED',
      hint: 'Mend it.',
      message: 'The document breaks rules.\n  packages[0].identifier  is missing',
    });
  });

  it('lists each problem once, also if the message repeats all of them', () => {
    const issues = [
      { path: 'file.path', message: 'Found nothing; expected a string.', severity: 'error' },
      { path: 'file', message: 'Found no kind.', severity: 'error' },
    ];
    const error = 'The source is invalid. file.path: found nothing; expected a string. file: found no kind.';
    expect(refusalError(refusal({ error, issues }), ASKING).message).to.equal(
      'The source is invalid.\n  file.path  Found nothing; expected a string.\n  file  Found no kind.',
    );
  });

  it("names a portolan command in place of the requests that the server's hint describes", () => {
    const refused = refusal({
      code: 'ERR_SOURCE_NOT_FOUND',
      hint: 'Check the name. GET /v1/sources lists the sources that you may see.',
    });
    expect(refusalError(refused, ASKING).hint).to.equal(
      '`portolan sources list` shows the sources that you may see',
    );
  });

  it('says what to do about metadata above the limit of the server', () => {
    const path = '_meta["io.modelcontextprotocol.registry/publisher-provided"]';
    const message = 'found 300000 bytes of JSON; expected at most 262144';
    const refused = refusal({ issues: [{ path, message, severity: 'error' }], hint: 'Mend it.' });
    expect(refusalError(refused, ASKING).hint).to.include('--with-tools').and.include('database.maxMetaSize');
  });

  it('removes control characters', () => {
    const refused = refusal({ error: 'Bad \u001B[2J\u001B]0;title\u0007name\r\n.' });
    expect(refusalError(refused, ASKING).message).to.match(/^[\x20-\x7E]+$/);
  });

  const login = '`portolan registry login https://registry.acme.example`';
  const hints = [
    { title: 'suggests login and flag without a token', status: 401, tokenFrom: 'nowhere', hint: login },
    {
      title: 'suggests a new login after a refused login',
      status: 401,
      tokenFrom: 'login',
      hint: `again: ${login}`,
    },
    {
      title: 'suggests claims explain when the token is rejected',
      status: 401,
      tokenFrom: 'user',
      hint: 'claims explain',
    },
    {
      title: 'suggests claims explain when access is denied',
      status: 403,
      tokenFrom: 'login',
      hint: 'claims explain',
    },
    {
      title: 'suggests what to do about a changed resource',
      status: 412,
      tokenFrom: 'user',
      hint: 'read it again',
    },
    { title: 'names the request id of a failure', status: 500, tokenFrom: 'user', hint: 'request id r-1' },
  ] as const;
  for (const { title, status, tokenFrom, hint } of hints) {
    it(title, () => {
      expect(refusalError(refusal({ status }), { ...ASKING, tokenFrom }).hint).to.include(hint);
    });
  }

  it("suggests a login when the server's own hint describes requests", () => {
    const refused = refusal({ status: 401, hint: 'Send a token.' });
    expect(refusalError(refused, { ...ASKING, tokenFrom: 'nowhere' }).hint).to.include('--token-file');
  });
});
