import { readFile, glob } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** A read of a member of a token response: `{ access_token: x }`, `body.token_type`, `body['expires_in']`. */
const MEMBER =
  /\b(?:access_token|token_type|expires_in|authed_user)\b(?:\s*[:,}]\s*\w*.*\}\s*=|'\])|\.(?:access_token|token_type|expires_in|authed_user)\b|textMember\([^)]*'access_token'/;

/** Files that read members, with the reason why that is not a second parser. */
const READERS: Readonly<Record<string, string>> = {
  'packages/oauth-client/src/tokens/token-response.ts': 'is the reader',
  'packages/oauth-client/src/tokens/token-set.ts': 'takes what the reader and the library have checked',
  'packages/oauth-client/src/login/device-flow.ts':
    'takes the device authorization that the reader has checked',
  'plugins/proxy-token-exchange/src/read-exchange-response.ts': 'calls the reader',
  'packages/image-verification/src/registry-authentication.ts':
    'reads tokens of image registries, which have a specification of their own',
};

/** Files that load the library which sends token requests. */
const LIBRARY_USERS = [
  'packages/oauth-client/src/registration/oauth-client.ts',
  'plugins/source-api/src/client-credentials.ts',
];

describe('OAuth token responses', () => {
  const sources = new Map<string, string>();
  before(async () => {
    for await (const file of glob('{packages,plugins}/*/src/**/*.ts', { cwd: ROOT }))
      sources.set(file, await readFile(path.join(ROOT, file), 'utf8'));
  });

  /** Returns the files whose code, without comments, contains the pattern. */
  const filesWith = (pattern: RegExp): readonly string[] =>
    [...sources]
      .filter(([, text]) => pattern.test(text.replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, '')))
      .map(([file]) => file)
      .toSorted();

  it('are parsed in the listed modules only', () => {
    // The multi-line form of the same destructuring.
    const lines = /^\s+(?:access_token|token_type|expires_in|authed_user): \w+,$/m;
    const found = new Set([...filesWith(MEMBER), ...filesWith(lines)]);
    expect([...found].toSorted()).to.deep.equal(Object.keys(READERS).toSorted());
  });

  it('reach the openid-client library only through fetchTokenResponses', () => {
    expect(filesWith(/import\('openid-client'\)|^import (?!type).*'openid-client'/m)).to.deep.equal(
      LIBRARY_USERS,
    );
    for (const file of LIBRARY_USERS)
      expect(sources.get(file)).to.match(/\b(?:fetchTokenResponses|configurationOf)\(/);
    const makers = filesWith(/\bnew (?:\w+\.)?Configuration\(/);
    expect(makers).to.deep.equal(['packages/oauth-client/src/registration/oauth-client.ts']);
    expect(sources.get(makers[0] ?? '')).to.include('fetchTokenResponses(web.fetch');
  });
});
