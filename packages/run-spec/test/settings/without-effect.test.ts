import { expect } from 'chai';
import type { RunFlags } from '../../src/settings/run-flags.ts';
import { type EffectFacts, warnWithoutEffect } from '../../src/settings/without-effect.ts';

const STDIO: EffectFacts = {
  flags: {},
  args: [],
  runs: 'container',
  hasEntry: false,
  carries: 'messages',
  proxyMode: 'streamable-http',
  isIsolated: true,
  isStateless: false,
  asksForTokens: false,
};
const HTTP: EffectFacts = { ...STDIO, carries: 'http' };
const REMOTE: EffectFacts = { ...HTTP, runs: 'remote', isIsolated: undefined };

describe('warnWithoutEffect', () => {
  const idle: readonly (readonly [flag: string, flags: RunFlags, facts: EffectFacts, because: RegExp])[] = [
    ['--target-host', { targetHost: '127.0.0.1' }, STDIO, /listens on no port/],
    ['--target-port', { targetPort: 80 }, STDIO, /listens on no port/],
    ['--endpoint-prefix', { endpointPrefix: '/a' }, STDIO, /HTTP\+SSE/],
    [
      '--allow-container-gateway',
      { allowContainerGateway: true },
      { ...STDIO, isIsolated: false },
      /isolation/,
    ],
    ['--proxy-mode', { proxyMode: 'sse' }, HTTP, /speaks what the server speaks/],
    ['--proxy-mode', { proxyMode: 'sse' }, REMOTE, /speaks what the server speaks/],
    ['--stdio-sessions', { stdioSessions: 'own' }, HTTP, /processes/],
    ['--max-sessions', { maxSessions: 3 }, REMOTE, /processes/],
    ['--session-ttl', { sessionTtlMs: 1000 }, { ...HTTP, isStateless: true }, /no sessions/],
    ['--volume', { volumes: ['/a:/b'] }, REMOTE, /no container/],
    ['--env', { env: ['A=1'] }, REMOTE, /no container/],
    ['--', {}, { ...REMOTE, args: ['x'] }, /no container/],
  ];
  for (const [flag, flags, facts, because] of idle) {
    it(`warns once of ${flag} (--proxy-mode: toolhive 3261) for ${facts.runs === 'remote' ? 'a remote' : facts.carries} server`, () => {
      const warnings = warnWithoutEffect({ ...facts, flags });
      expect(warnings).to.have.lengthOf(1);
      expect(warnings[0])
        .to.match(because)
        .and.to.match(new RegExp(`^${flag} has no effect: `));
    });
  }

  const effective: readonly (readonly [title: string, facts: EffectFacts])[] = [
    ['a prefix with a login of callers', { ...STDIO, asksForTokens: true, flags: { endpointPrefix: '/a' } }],
    ['a target of an HTTP server', { ...HTTP, flags: { targetHost: '::1', targetPort: 80 } }],
    [
      'a prefix with HTTP+SSE',
      { ...STDIO, proxyMode: 'sse', flags: { endpointPrefix: '/a', proxyMode: 'sse' } },
    ],
    [
      'a flag that asks for nothing',
      { ...STDIO, isIsolated: false, flags: { allowContainerGateway: false } },
    ],
    ['variables that answer an entry', { ...REMOTE, hasEntry: true, flags: { env: ['A=1'] } }],
    [
      'flags about a transport that the image decides',
      { ...STDIO, carries: undefined, proxyMode: undefined, flags: { targetPort: 80, endpointPrefix: '/a' } },
    ],
  ];
  for (const [title, facts] of effective) {
    it(`does not warn of ${title}`, () => {
      expect(warnWithoutEffect(facts)).to.deep.equal([]);
    });
  }
});
