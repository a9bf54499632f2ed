import { expect } from 'chai';
import { formatNetworkLine } from '../../src/terminal/format/format-network-line.ts';

describe('formatNetworkLine', () => {
  const cases = [
    {
      title: 'shows what was denied, by which rule and why',
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
      title: 'shows what was allowed, and what came of it',
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
      title: 'shows a name that was asked for',
      event: { method: 'DNS', host: 'a.example', allowed: false, rule: 'nothing-allowed' },
      expected: 'denied  DNS  a.example  rule nothing-allowed',
    },
    {
      title: 'takes out what would act on a terminal',
      event: { method: 'GET', host: 'a\u001B[2Jb', allowed: false },
      expected: 'denied  GET  ab',
    },
  ];
  for (const { title, event, expected } of cases) {
    it(title, () => {
      expect(formatNetworkLine(JSON.stringify(event))).to.equal(expected);
    });
  }

  it('hands back a line that is none of these', () => {
    expect(formatNetworkLine('{"cut": ')).to.equal('{"cut": ');
  });
});
