import { expect } from 'chai';
import { joinName } from '../../src/parameters/join-name.ts';

const SERVERS = '/registry/main/v0.1/servers';
const ENTRIES = '/v1/entries';

describe('joinName', () => {
  const joined = [
    [`${SERVERS}/com.acme/notes/versions`, `${SERVERS}/com.acme%2Fnotes/versions`],
    [`${SERVERS}/com.acme/notes/versions/`, `${SERVERS}/com.acme%2Fnotes/versions/`],
    [`${SERVERS}/com.acme/notes/versions/latest`, `${SERVERS}/com.acme%2Fnotes/versions/latest`],
    ['/registry/a/v0/servers/b/c/versions/1', '/registry/a/v0/servers/b%2Fc/versions/1'],
    // A server is not called "com.acme", so this cannot be its version "versions".
    [`${SERVERS}/com.acme/versions/versions`, `${SERVERS}/com.acme%2Fversions/versions`],
    [`${SERVERS}/com.acme/versions/versions/1.0.0`, `${SERVERS}/com.acme%2Fversions/versions/1.0.0`],
    [`${ENTRIES}/server/com.acme/notes/claims`, `${ENTRIES}/server/com.acme%2Fnotes/claims`],
    [`${ENTRIES}/skill/com.acme/triage/status`, `${ENTRIES}/skill/com.acme%2Ftriage/status`],
    [`${ENTRIES}/plugin/com.acme/b/versions/1.0.0`, `${ENTRIES}/plugin/com.acme%2Fb/versions/1.0.0`],
    [`${ENTRIES}/server/com.acme/p1`, `${ENTRIES}/server/com.acme%2Fp1`],
    [`${ENTRIES}/skill/com.acme/triage/`, `${ENTRIES}/skill/com.acme%2Ftriage/`],
    [`${ENTRIES}/server/a/b/versions/1/status`, `${ENTRIES}/server/a%2Fb/versions/1/status`],
    [`${ENTRIES}/server/a/versions/claims`, `${ENTRIES}/server/a%2Fversions/claims`],
  ] as const;
  for (const [path, expected] of joined) {
    it(`escapes the slash of ${path}`, () => {
      expect(joinName(path)).to.equal(expected);
    });
  }

  const kept = [
    SERVERS,
    `${SERVERS}/com.acme%2Fnotes/versions`,
    `${SERVERS}/com.acme%2Fnotes/versions/latest`,
    `${SERVERS}/com.acme%2fnotes/versions/versions`,
    `${SERVERS}/com.acme%2Fnotes/b/versions`,
    `${SERVERS}/a/b/c/versions`,
    `${SERVERS}//b/versions`,
    `${SERVERS}/../b/versions`,
    `${SERVERS}/a/%2e%2E/versions`,
    `${SERVERS}/a/b`,
    `${ENTRIES}/skill/triage/versions/claims`,
    `${ENTRIES}/skill/triage/versions/1.0.0`,
    `${ENTRIES}/plugin/bundle/versions/1.0.0/status`,
    `${ENTRIES}/server/com.acme%2Fnotes/versions/status`,
    `${ENTRIES}/server/com.acme%2Fnotes/versions/1/status`,
    `${ENTRIES}/server/a/claims`,
    `${ENTRIES}/server/a/status`,
    `${ENTRIES}/skill/a/versions`,
    `${ENTRIES}/skill/a/versions/`,
    `${ENTRIES}/server/a%2Fclaims`,
    `${ENTRIES}/server/a`,
    '/v1/sources/a/entries',
  ];
  for (const path of kept) {
    it(`leaves ${path} unchanged`, () => {
      expect(joinName(path)).to.equal(path);
    });
  }
});
