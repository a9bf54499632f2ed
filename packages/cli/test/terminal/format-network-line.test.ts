import { expect } from 'chai';
import { formatNetworkLine } from '../../src/terminal/format/format-network-line.ts';

describe('formatNetworkLine', () => {
  const cases = [
    {
      title: 'shows a denied request with its rule and reason',
      event: {
        at: '2026-11-21T10:00:00.000Z',
        workload: 'weather',
        method: 'CONNECT',
        host: 'evil.example',
        port: 443,
        allowed: false,
        rule: 'host-not-allowed',
        text: 'evil.example is not in allow_host',
      },
      expected:
        '2026-11-21T10:00:00.000Z  denied  CONNECT  evil.example:443  rule host-not-allowed  (evil.example is not in allow_host)',
    },
    {
      title: 'shows an allowed request with its result',
      event: {
        method: 'GET',
        host: 'api.acme.example',
        port: 80,
        allowed: true,
        rule: '.acme.example',
        via: '192.0.2.1',
        failure: 'ECONNREFUSED',
      },
      expected: 'allowed  GET  api.acme.example:80  rule .acme.example  via 192.0.2.1  failed: ECONNREFUSED',
    },
    {
      title: 'shows a resolved name',
      event: { method: 'DNS', host: 'a.example', allowed: false, rule: 'nothing-allowed' },
      expected: 'denied  DNS  a.example  rule nothing-allowed',
    },
    {
      title: 'removes control characters',
      event: { method: 'GET', host: 'a\u001B[2Jb', allowed: false },
      expected: 'denied  GET  ab',
    },
  ];
  for (const { title, event, expected } of cases) {
    it(title, () => {
      expect(formatNetworkLine(JSON.stringify(event))).to.equal(expected);
    });
  }

  it('returns any other line unchanged', () => {
    expect(formatNetworkLine('{"cut": ')).to.equal('{"cut": ');
  });
});
