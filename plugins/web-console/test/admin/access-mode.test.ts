import type { ApiResponse, ApiRequest, Role } from '@portolan/plugin-api';
import { expect } from 'chai';
import { accessMode, claimsHint } from '../../src/admin/parts/access-mode.ts';

const answer = (status: number, json: unknown = {}): ApiResponse => ({ status, headers: {}, json });

/** A visitor of a server in this mode, and how often its mode was asked for. */
function visit(mode: string, roles: readonly Role[] = [], told = answer(200, { mode })) {
  let now = 0;
  let asked = 0;
  const parts = { context: { nowMs: () => now } };
  const request = { api: () => Promise.resolve(answer(mode === 'anonymous' ? 200 : 401)) };
  const api = ({ path }: ApiRequest): Promise<ApiResponse> => {
    if (path === '/v1/authz/explain') asked += 1;
    return Promise.resolve(told);
  };
  const view = { parts, request, api, roles };
  return { view, asked: () => asked, pass: (ms: number) => void (now += ms) };
}

describe('claimsHint', () => {
  const rows: readonly [mode: string, roles: readonly Role[], says: RegExp][] = [
    ['full', ['superAdmin', 'manageSources'], /to manage it\. Without any, only superAdmins may\.$/],
    [
      'full',
      ['manageSources'],
      /At least one, and none but those that you hold yourself\. Only a superAdmin .* “any value”\.$/,
    ],
    ['auth-only', ['superAdmin'], /not asked of those who have a token.*decide what a public registry shows/],
    ['anonymous', ['superAdmin'], /not enforced: every caller may/],
  ];
  for (const [mode, roles, says] of rows) {
    it(`explains claims in mode ${mode} to ${roles.join(' and ')}`, async () => {
      expect(await claimsHint(visit(mode, roles).view, 'registry')).to.match(says);
    });
  }
});

describe('accessMode', () => {
  it('requests the mode once a minute, and not at all without authentication', async () => {
    const { view, asked, pass } = visit('auth-only');
    expect([await accessMode(view), await accessMode(view), asked()]).to.deep.equal([
      'auth-only',
      'auth-only',
      1,
    ]);
    pass(60_001);
    await accessMode(view);
    expect(asked()).to.equal(2);
    const open = visit('anonymous');
    expect([await accessMode(open.view), open.asked()]).to.deep.equal(['anonymous', 0]);
  });

  it('returns the strictest mode when it is unknown, and requests it again', async () => {
    const { view, asked } = visit('auth-only', [], answer(403));
    expect([await accessMode(view), await accessMode(view), asked()]).to.deep.equal(['full', 'full', 2]);
  });
});
