import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { proxyMiddlewareContract, renderFieldTable } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { checkTokenExchange } from '../src/check-token-exchange.ts';
import { tokenExchange, type TokenExchangeConfig, tokenExchangeConfig } from '../src/index.ts';
import { SETTINGS } from './settings.ts';

const CALL = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"forecast"}}';

proxyMiddlewareContract({
  name: 'token-exchange',
  kind: tokenExchange,
  blocks: [
    SETTINGS,
    { ...SETTINGS, client_id: 'proxy', client_secret: 'TOKEN_EXCHANGE_CLIENT_SECRET_w,target=s' },
    { ...SETTINGS, header_strategy: 'custom', external_token_header_name: 'X-Upstream-Token' },
    { ...SETTINGS, token_url: 'http://localhost:8080/token' },
    { ...SETTINGS, token_url: 'http://id.example/token', insecure_allow_http: true },
  ],
  create: (context) => tokenExchange.create(SETTINGS, context),
  judged: [{ from: 'client', text: CALL, becomes: 'passes' }],
});

describe('token exchange settings', () => {
  const WRONG: readonly (readonly [given: Partial<TokenExchangeConfig>, places: readonly string[]])[] = [
    [{ token_url: 'id.example/token' }, ['token_url']],
    [{ token_url: 'ftp://id.example/token' }, ['token_url']],
    [{ token_url: 'http://id.example/token' }, ['token_url']],
    [{ token_url: 'http://127.0.0.1.evil.example/token' }, ['token_url']],
    [{ token_url: 'https://me:hunter2@id.example/token' }, ['token_url']],
    [{ token_url: 'https://id.example/token#x' }, ['token_url']],
    [{ client_id: 'proxy', client_secret: 'hunter2' }, ['client_secret']],
    [{ client_secret: 'NAME,target=x' }, ['client_id']],
    [{ header_strategy: 'custom' }, ['external_token_header_name']],
    [{ external_token_header_name: 'X-Token' }, ['external_token_header_name']],
    ...['Authorization', 'Host', 'X-Forwarded-For', 'Content-Length', 'X Token', 'X-Token\r\nX-Admin: 1'].map(
      (name) =>
        [
          { header_strategy: 'custom', external_token_header_name: name },
          ['external_token_header_name'],
        ] as const,
    ),
  ];
  for (const [given, places] of WRONG) {
    it(`reports problems at ${places.join(', ')}: ${JSON.stringify(given)}`, () => {
      const problems = checkTokenExchange({ ...SETTINGS, ...given });
      expect(problems.map(({ place }) => place)).to.deep.equal(places);
      expect(JSON.stringify(problems)).not.to.include('hunter2');
    });
  }

  it('are listed in the README, with every error code', async () => {
    const read = (file: string): Promise<string> => readFile(join(import.meta.dirname, '..', file), 'utf8');
    const codesIn = async (file: string): Promise<readonly string[]> =>
      [...new Set((await read(file)).match(/ERR_TOKEN_EXCHANGE[A-Z_]*/g))].toSorted();
    expect(await read('README.md')).to.include(`\n${renderFieldTable(tokenExchangeConfig)}\n\n`);
    expect(await codesIn('README.md')).to.deep.equal(await codesIn('src/errors.ts'));
  });
});
