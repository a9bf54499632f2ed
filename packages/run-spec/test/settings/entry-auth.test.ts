import type { JsonObject } from '@portolan/plugin-api';
import { expect } from 'chai';
import { entryAuth } from '../../src/settings/entry-auth.ts';
import type { RunFlags } from '../../src/settings/run-flags.ts';

const PUBLISHED = {
  issuer: 'https://id.acme.example',
  client_id: 'acme-cli',
  scopes: ['notes.read'],
  use_pkce: true,
  oauth_params: { prompt: 'select_account' },
  callback_port: 9000,
  resource: 'https://mcp.acme.example/mcp',
};

describe('entryAuth', () => {
  const { use_pkce: _always, ...kept } = PUBLISHED;
  const { issuer: _issuer, ...unplaced } = kept;
  const cases: readonly (readonly [
    title: string,
    published: JsonObject | undefined,
    flags: RunFlags,
    JsonObject,
  ])[] = [
    ['gives what an entry says', PUBLISHED, {}, { ...kept, published_client: true }],
    [
      'does not mark a client that a flag names',
      { client_id: 'theirs' },
      { remoteAuthClientId: 'mine' },
      { client_id: 'theirs' },
    ],
    ['gives nothing where it says nothing', undefined, {}, {}],
    [
      'leaves the place of the login to the flags',
      PUBLISHED,
      { remoteAuthIssuer: 'https://id.example' },
      { ...unplaced, published_client: true },
    ],
    ['takes the usual port for none', { callback_port: 8666 }, {}, {}],
    ['passes over what is no port', { callback_port: 80 }, {}, {}],
    [
      'passes over what has another type',
      { issuer: 7, scopes: 'a', oauth_params: [], client_id: '' },
      {},
      {},
    ],
    [
      'takes texts alone out of lists and maps',
      { scopes: ['a', 1], oauth_params: { a: 'b', c: 2 } },
      {},
      { scopes: ['a'], oauth_params: { a: 'b' } },
    ],
    [
      'takes no secret out of an entry',
      { client_secret: 'x', bearer_token: 'y', cached_client_id: 'z', enabled: true },
      {},
      {},
    ],
  ];
  for (const [title, published, flags, expected] of cases) {
    it(title, () => {
      expect(entryAuth(published, flags)).to.deep.equal(expected);
    });
  }
});
