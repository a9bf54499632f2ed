import { PortolanError } from '@portolan/plugin-api';
import { expect } from 'chai';
import { maskEnd, maskInlineSecrets, maskReports } from '../../src/supervisor/process/mask-secrets.ts';
import type { SupervisorReport } from '../../src/supervisor/supervisor-order.ts';

const SECRET = 'hunter2/"+=&%';
const mask = maskInlineSecrets(
  { inline_secrets: ['mine,target=key', 'short,target=s'] },
  { mine: SECRET, short: 'abc' },
);

describe('maskInlineSecrets', () => {
  it('masks a secret as it is, in JSON and in URLs, but no short value', () => {
    const texts = [SECRET, JSON.stringify({ a: SECRET }), encodeURIComponent(SECRET), 'abc'];
    expect(texts.map(mask)).to.deep.equal(['[secret]', '{"a":"[secret]"}', '[secret]', 'abc']);
  });

  it('maskReports and maskEnd › mask reports and the error of the end', () => {
    const reports: SupervisorReport[] = [];
    const report = maskReports((told) => reports.push(told), mask);
    report({ report: 'warning', text: SECRET });
    report({
      report: 'failed',
      code: 'ERR_X',
      class: 'fault',
      message: SECRET,
      hint: SECRET,
      lastLines: [SECRET],
    });
    expect(JSON.stringify(reports)).not.to.include('hunter2');
    const error = Object.assign(new PortolanError('ERR_SERVER_ENDED', 'unavailable', `exec ${SECRET}`), {
      exitCode: 3,
    });
    const end = maskEnd({ how: 'failed', error }, mask);
    expect(end.how === 'failed' && end.error).to.include({
      code: 'ERR_SERVER_ENDED',
      class: 'unavailable',
      message: 'exec [secret]',
      exitCode: 3,
    });
    expect(maskEnd({ how: 'stopped' }, mask)).to.deep.equal({ how: 'stopped' });
  });
});
