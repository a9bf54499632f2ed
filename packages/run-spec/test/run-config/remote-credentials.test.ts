import { expect } from 'chai';
import type { JsonObject } from '@portolan/plugin-api';
import { findCredentialsFaults, namedCredentials } from '../../src/run-config/remote-credentials.ts';
import { policySecretsIn, renameSecrets } from '../../src/run-config/rename-secrets.ts';
import { createRunConfig, type RunConfig } from '../../src/run-config/run-config.ts';

const REMOTE = { remote_url: 'https://mcp.acme.example/mcp' };

function configOf(remote_credentials: JsonObject | undefined, more: Partial<RunConfig> = REMOTE): RunConfig {
  return createRunConfig({ name: 'notes', ...more, remote_credentials });
}

describe('remote_credentials', () => {
  const named: readonly (readonly [document: JsonObject | undefined, type: string | undefined])[] = [
    [undefined, undefined],
    [{ type: 'oauth' }, undefined],
    [{ type: 'signed' }, 'signed'],
  ];
  for (const [document, type] of named) {
    it(`${JSON.stringify(document)} is valid and names ${type ?? 'the login'}`, () => {
      const config = configOf(document);
      expect(namedCredentials(config)?.type).to.equal(type);
      expect(findCredentialsFaults(config)).to.deep.equal([]);
    });
  }

  it('returns the parameters and their place in the document', () => {
    expect(namedCredentials(configOf({ type: 'signed', parameters: { keyId: 'a' } }))).to.deep.equal({
      type: 'signed',
      parameters: { keyId: 'a' },
      place: 'remote_credentials.parameters',
    });
  });

  const signed = { type: 'signed' };
  const faults: readonly (readonly [config: RunConfig, says: RegExp])[] = [
    [configOf({}), /type: expected the name/],
    [configOf({ type: 7 }), /type: expected the name/],
    [configOf({ type: '' }), /type: expected the name/],
    [configOf({ type: 'signed', parameters: [] }), /parameters: expected a map/],
    [configOf({ type: 'oauth', parameters: {} }), /remote_auth_config/],
    [configOf({ type: 'signed', settings: {} }), /unknown key "settings"/],
    [configOf(signed, { image: 'acme/notes' }), /expected remote_url/],
    [configOf(signed, { ...REMOTE, remote_auth_config: { enabled: true } }), /no login/],
    [configOf(signed, { ...REMOTE, remote_auth_config: { issuer: 'https://id.acme.example' } }), /no login/],
    [configOf(signed, { ...REMOTE, remote_auth_config: { bearer_token: 'a,target=b' } }), /no bearer token/],
    [configOf(signed, { ...REMOTE, token_exchange_config: {} }), /token_exchange_config/],
  ];
  for (const [config, says] of faults) {
    it(`is rejected: ${says.source}`, () => {
      expect(findCredentialsFaults(config).join('\n')).to.match(says);
    });
  }

  it('lists and renames its secret references like all others', () => {
    const config = configOf({ type: 'signed', parameters: { keys: [{ secret: 'TIDES,target=key' }] } });
    expect(policySecretsIn(config)).to.deep.equal(['TIDES']);
    expect(renameSecrets(config, (name) => `${name}_2`).remote_credentials).to.deep.equal({
      type: 'signed',
      parameters: { keys: [{ secret: 'TIDES_2,target=key' }] },
    });
  });
});
