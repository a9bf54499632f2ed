import { expect } from 'chai';
import { parseRunConfig } from '../../src/run-config/parse-run-config.ts';
import { checkFlags } from '../../src/settings/check-flags.ts';
import { findRemoteAuthFaults, remoteAuthOf, withLogin } from '../../src/run-config/remote-auth.ts';

const LOGIN = {
  issuer: 'https://id.acme.example',
  resource: 'https://mcp.acme.example/mcp',
  scopes: ['a'],
  subject: 'ada',
  clientId: 'client',
  usesDocument: false,
  clientSecret: 'OAUTH_CLIENT_SECRET_notes,target=oauth_secret',
  accessToken: undefined,
  refreshToken: 'OAUTH_REFRESH_TOKEN_notes,target=refresh_token',
  registrationToken: 'OAUTH_REG_TOKEN_notes,target=registration_token',
  registrationUri: 'https://id.acme.example/reg/client',
  secretExpiresAt: '2027-01-01T00:00:00.000Z',
  authMethod: 'client_secret_basic',
  callbackPort: 8666,
  expiresAt: '2026-01-01T00:00:00.000Z',
};

describe('remote_auth_config', () => {
  it('has an empty resource when token requests name none', () => {
    const resources = ['', 'https://a.example', undefined].map(
      (resource) => remoteAuthOf({ remote_auth_config: { resource } }).resource,
    );
    expect(resources).to.deep.equal(['', 'https://a.example', undefined]);
    const flags = { remoteAuthResource: '' };
    expect(checkFlags(flags, { workingDirectory: '/', home: '/' }, [])).to.deep.include(flags);
  });

  const wanted: readonly (readonly [document: object | undefined, isWanted: boolean | undefined])[] = [
    [undefined, undefined],
    [{}, undefined],
    [{ use_pkce: true, callback_port: 8666, scopes: [], skip_browser: false }, undefined],
    [{ enabled: true }, true],
    [{ enabled: false, issuer: 'https://id.acme.example' }, false],
    [{ issuer: 'https://id.acme.example' }, true],
    [{ client_id: 'x' }, true],
    [{ cached_refresh_token_ref: 'a,target=b' }, true],
    [{ issuer: '' }, undefined],
    [{ issuer: 7 }, undefined],
  ];
  for (const [document, isWanted] of wanted) {
    it(`${JSON.stringify(document)} ${isWanted === undefined ? 'leaves a login open' : `means ${isWanted}`}`, () => {
      expect(remoteAuthOf({ remote_auth_config: document as undefined }).isWanted).to.equal(isWanted);
    });
  }

  it('stores the facts of a login, and returns them', () => {
    const document = withLogin({ client_id: 'mine', cached_issuer: 'https://old.example' }, LOGIN);
    expect(document).to.include({ client_id: 'mine', cached_issuer: LOGIN.issuer });
    expect(remoteAuthOf({ remote_auth_config: document }).login).to.deep.equal(LOGIN);
    expect(withLogin(document, undefined)).to.deep.equal({ client_id: 'mine' });
  });

  it('parses durations of other tools in nanoseconds', () => {
    expect(remoteAuthOf({ remote_auth_config: { timeout: 30_000_000_000 } }).timeoutMs).to.equal(30_000);
  });

  const faults: readonly (readonly [document: object, says: RegExp])[] = [
    [{ issuer: 'http://id.acme.example' }, /issuer: found .*; expected an https address/],
    [{ issuer: 'https://a:b@id.acme.example' }, /issuer/],
    [{ authorize_url: 'https://id.acme.example/a' }, /together/],
    [{ authorize_url: 'javascript:1', token_url: 'https://id.acme.example/t' }, /authorize_url/],
    [{ client_id: 'c', issuer: 'https://i.example', cached_refresh_token_ref: 'in-the-clear' }, /references/],
  ];
  for (const [document, says] of faults) {
    it(`is rejected with ${JSON.stringify(document)}`, () => {
      const file = JSON.stringify({ remote_url: 'https://h.example/mcp', remote_auth_config: document });
      expect(() => parseRunConfig(file, 'w.json')).to.throw(says);
    });
  }

  it('accepts addresses of this host', () => {
    const remote_auth_config = { issuer: 'http://localhost:8080', client_id: 'c' };
    expect(findRemoteAuthFaults({ remote_auth_config })).to.deep.equal([]);
  });

  for (const scheme of ['http', 'https']) {
    it(`shows no password of a rejected address: ${scheme}`, () => {
      const flags = { remoteAuthIssuer: `${scheme}://ann:hunter2@id.acme.example` };
      expect(() => checkFlags(flags, { workingDirectory: '/', home: '/' }, []))
        .to.throw(/without user, password/)
        .with.property('message')
        .that.does.not.include('hunter2');
    });
  }
});
