import { expect } from 'chai';
import { parseEngineAddress, showEngineAddress } from '../src/engine/engine-address.ts';

describe('parseEngineAddress', () => {
  const tls = { ca: 'CA', cert: undefined, key: undefined, verify: true };
  const trust = { ca: undefined, cert: undefined, key: undefined, verify: true };
  const cases = [
    { text: 'unix:///run/a b.sock', expected: { over: 'socket', path: '/run/a b.sock' } },
    { text: 'npipe:////./pipe/engine', expected: { over: 'socket', path: '//./pipe/engine' } },
    { text: 'tcp://10.0.0.7:4000', expected: { over: 'tcp', host: '10.0.0.7', port: 4000, tls: undefined } },
    { text: 'tcp://engine', expected: { over: 'tcp', host: 'engine', port: 2375, tls: undefined } },
    { text: 'engine:4000', expected: { over: 'tcp', host: 'engine', port: 4000, tls: undefined } },
    { text: 'tcp://[::1]:4000', expected: { over: 'tcp', host: '::1', port: 4000, tls: undefined } },
    { text: 'tcp://engine', tls, expected: { over: 'tcp', host: 'engine', port: 2376, tls } },
    { text: 'https://engine:1', expected: { over: 'tcp', host: 'engine', port: 1, tls: trust } },
    {
      text: 'ssh://ops@engine:22',
      expected: { over: 'ssh', host: 'engine', user: 'ops', port: 22, path: '' },
    },
    {
      text: 'ssh://engine/run/x',
      expected: { over: 'ssh', host: 'engine', user: '', port: undefined, path: '/run/x' },
    },
  ];
  for (const { text, tls: given, expected } of cases) {
    it(`parses ${text}${given ? ' with certificates' : ''}`, () => {
      expect(parseEngineAddress(text, 'DOCKER_HOST', given)).to.deep.equal(expected);
    });
  }

  for (const text of [
    'unix://',
    'ftp://engine',
    'tcp://',
    'ssh://-oProxyCommand=x',
    'tcp://engine:0',
    'tcp://engine:99999',
  ]) {
    it(`refuses ${text} and names its origin`, () => {
      expect(() => parseEngineAddress(text, 'DOCKER_HOST', undefined)).to.throw(/in DOCKER_HOST; expected/);
    });
  }
});

describe('showEngineAddress', () => {
  const cases = [
    'unix:///run/a.sock',
    'npipe:////./pipe/engine',
    'tcp://[::1]:4000',
    'https://engine:1',
    'ssh://ops@engine:22/x',
  ];
  for (const text of cases) {
    it(`formats ${text} as it was written`, () => {
      expect(showEngineAddress(parseEngineAddress(text, 'a test', undefined))).to.equal(text);
    });
  }
});
