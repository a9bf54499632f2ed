import { expect } from 'chai';
import { explanationIn, fetchTokenResponses, readTokenResponse } from '../../src/tokens/token-response.ts';

const read = (body: unknown, status = 200): ReturnType<typeof readTokenResponse> =>
  readTokenResponse(status, typeof body === 'string' ? body : JSON.stringify(body));

describe('readTokenResponse', () => {
  const bearer = { access_token: 't', token_type: 'Bearer' };
  const tokens: readonly (readonly [string, unknown, object])[] = [
    ['RFC 6749', { ...bearer, expires_in: 60, scope: 'a b' }, { ...bearer, expires_in: 60, scope: 'a b' }],
    ['no token_type (Atlassian)', { access_token: 't' }, bearer],
    ['an empty token_type', { ...bearer, token_type: '' }, bearer],
    ['token_type null', { ...bearer, token_type: null }, bearer],
    ['token_type user (Slack)', { ...bearer, token_type: 'user' }, bearer],
    ['token_type bot (Slack)', { ...bearer, token_type: 'bot' }, bearer],
    ['token_type BearerToken (Apigee)', { ...bearer, token_type: 'BearerToken' }, bearer],
    ['another token_type', { ...bearer, token_type: 'mac' }, { access_token: 't', token_type: 'mac' }],
    ['expires_in as text (Entra)', { ...bearer, expires_in: '5250' }, { ...bearer, expires_in: 5250 }],
    ['expires_in null', { ...bearer, expires_in: null }, bearer],
    ['expires_in as a word', { ...bearer, expires_in: 'never' }, bearer],
    ['an empty refresh_token', { ...bearer, refresh_token: '' }, bearer],
    ['scope as a list (Linear)', { ...bearer, scope: ['read', 'write'] }, { ...bearer, scope: 'read write' }],
    ['error beside a token', { ...bearer, error: '' }, { ...bearer, error: '' }],
    [
      'a form (GitHub)',
      'access_token=t&token_type=bearer&scope=',
      { access_token: 't', token_type: 'bearer', scope: '' },
    ],
  ];
  for (const [title, body, document] of tokens) {
    it(`returns the token of a response with ${title}`, () => {
      expect(read(body)).to.deep.equal({ status: 200, error: undefined, document });
    });
  }

  it('returns the token below authed_user when there is no other (Slack)', () => {
    const owned = {
      id: 'U1',
      access_token: 'user-token',
      token_type: 'user',
      scope: 'chat:write',
      expires_in: 43_200,
    };
    expect(read({ ok: true, authed_user: owned }).document).to.include({
      access_token: 'user-token',
      token_type: 'Bearer',
      expires_in: 43_200,
    });
    const both = { ok: true, access_token: 'bot-token', token_type: 'bot', authed_user: owned };
    expect(read(both).document).to.include({ access_token: 'bot-token', token_type: 'Bearer' });
    expect(read({ ok: true, authed_user: { id: 'U1' } }).document).to.not.have.property('access_token');
  });

  const errors: readonly (readonly [string, unknown, number, string | undefined])[] = [
    [
      'a code with status 200 (GitHub)',
      { error: 'bad_verification_code', error_description: 'x' },
      200,
      'bad_verification_code',
    ],
    ['ok:false with status 200 (Slack)', { ok: false, error: 'invalid_client_id' }, 200, 'invalid_client_id'],
    [
      'a form with status 200 (GitHub)',
      'error=bad_refresh_token&error_description=x+y',
      200,
      'bad_refresh_token',
    ],
    ['an object with status 200', { error: { code: 'expired', message: 'x' } }, 200, 'expired'],
    ['a code with status 400', { error: 'invalid_grant' }, 400, 'invalid_grant'],
    ['no code', { status: 'BAD' }, 400, undefined],
    ['no document', 'busy', 503, undefined],
    ['a page', '<html>?error=x', 200, undefined],
  ];
  for (const [title, body, status, error] of errors) {
    it(`returns the error code of a response with ${title}`, () => {
      expect(read(body, status)).to.include({ status, error });
    });
  }
});

describe('fetchTokenResponses', () => {
  const ask = async (body: unknown, init: ResponseInit = {}): Promise<Response> => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return await fetchTokenResponses(async () => await Promise.resolve(new Response(text, init)))(
      'https://id.example',
    );
  };

  it('changes an error with a success status to 400, and every other success to 200', async () => {
    const refused = await ask({ error: 'access_denied' });
    expect([refused.status, await refused.json()]).to.deep.equal([400, { error: 'access_denied' }]);
    expect((await ask({ access_token: 't' }, { status: 201 })).status).to.equal(200);
    expect((await ask({ error: 'x' }, { status: 401 })).status).to.equal(401);
    expect((await ask('busy', { status: 503 })).status).to.equal(503);
  });

  it('removes challenges, which would hide the error code, and sets the type to JSON', async () => {
    const headers = { 'www-authenticate': 'Basic realm="x"', 'content-type': 'text/plain' };
    const { headers: sent } = await ask({ error: 'invalid_client' }, { status: 401, headers });
    expect([sent.get('www-authenticate'), sent.get('content-type')]).to.deep.equal([
      null,
      'application/json',
    ]);
  });

  it('parses the device authorization response of Google', async () => {
    const begun = {
      device_code: 'd',
      user_code: 'u',
      verification_url: 'https://id.example/device',
      interval: '5',
    };
    expect(await (await ask(begun)).json()).to.include({
      verification_uri: 'https://id.example/device',
      interval: 5,
    });
  });
});

describe('explanationIn', () => {
  it('returns the text of RFC 6749 and of Okta, printable and truncated', () => {
    expect(explanationIn({ error: 'x', error_description: 'No\u001b[2J such app' })).to.equal(
      'No?[2J such app',
    );
    expect(explanationIn({ errorCode: 'E0000006', errorSummary: 'You do not have permission' })).to.equal(
      'You do not have permission',
    );
    expect(explanationIn({ message: 'x'.repeat(999) })).to.have.length(200);
    expect(explanationIn({ error: 'x' })).to.equal(undefined);
  });

  it('returns nothing when the text contains a secret', () => {
    expect(explanationIn({ message: 'the secret s3cret is wrong' }, [undefined, 's3cret'])).to.equal(
      undefined,
    );
  });
});
