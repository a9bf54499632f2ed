import { PortolanError } from '@portolan/plugin-api';
import type { ApplyPlan } from '@portolan/workload';
import { expect } from 'chai';
import { applyPlanDocument, formatApplyPlan } from '../../src/workloads-file/format-apply-plan.ts';
import { reportApplied, reportFailing } from '../../src/workloads-file/report-applied.ts';

const WORKLOAD: ApplyPlan['workloads'][number] = {
  name: 'notes',
  action: 'keep',
  kind: 'run',
  changes: [],
  lost: [],
  grants: [],
  warnings: [],
  run: undefined,
  error: undefined,
  request: { target: 'acme/notes:1', args: [], flags: { env: ['TOKEN=hunter2'] } },
  base: undefined,
  isRunning: true,
};
const ERROR = new PortolanError('ERR_SETTING', 'mistake', 'It is wrong.', { hint: 'Correct it.' });

const PLAN: ApplyPlan = {
  name: 'desk',
  groups: ['work'],
  workloads: [
    { ...WORKLOAD, warnings: ['not shown for an unchanged workload'] },
    {
      ...WORKLOAD,
      name: 'other',
      action: 'replace',
      changes: [{ setting: 'port', before: 1, after: 2 }],
      lost: ['that the network is isolated'],
      grants: [
        {
          kind: 'mount',
          line: 'read /srv\u001B[2J',
          subject: '',
          setting: '',
          author: 'entry',
          accepted: false,
        },
      ],
    },
    { ...WORKLOAD, name: 'gone', action: 'leave', kind: undefined },
    { ...WORKLOAD, name: 'wrong', action: 'fails', error: ERROR },
  ],
};

describe('formatApplyPlan', () => {
  it('formatApplyPlan › shows each workload with its mark, without control characters', () => {
    const text = formatApplyPlan(PLAN);
    expect(text).not.to.include('\u001B');
    expect(text.split('\n').map((line) => line.replace(/read \/srv.*/, 'read'))).to.deep.equal([
      'Plan of desk: 1 to replace, 1 not in the file, 1 that cannot run, 1 unchanged',
      '+ group work',
      '= notes',
      '~ other',
      '    port: 1 -> 2',
      '    no longer protected: that the network is isolated',
      '    allows, as the entry requests: read',
      '? gone: the file no longer has it; --prune removes it',
      '! wrong',
      '    error: It is wrong.',
      '    hint: Correct it.',
    ]);
  });

  it('applyPlanDocument › has no request, whose variables may be secret', () => {
    const text = JSON.stringify(applyPlanDocument(PLAN));
    expect(text).not.to.include('hunter2');
    expect(JSON.parse(text)).to.have.nested.property('workloads[3].error.code', 'ERR_SETTING');
  });
});

describe('reportApplied', () => {
  const result = { action: 'create' as const, url: undefined, error: undefined, notes: [] };

  it('reportApplied › prints each result, and throws when one failed', () => {
    const lines: string[] = [];
    const report = { debug: false, tell: (told: readonly string[]) => void lines.push(...told) };
    reportApplied([{ ...result, name: 'one', url: 'http://127.0.0.1:1/mcp', notes: ['a note'] }], report);
    reportApplied([{ ...result, name: 'two', action: 'keep' }], report);
    expect(() => reportApplied([{ ...result, name: 'three', error: ERROR }], report)).to.throw(
      '1 of 1 workloads failed',
    );
    expect(lines.join('\n')).to.equal(
      'note: one: a note\none is created: http://127.0.0.1:1/mcp\nnothing to do\nthree: error: It is wrong.\nhint: Correct it.',
    );
  });

  it('reportFailing › throws only when a workload of the plan cannot run', () => {
    expect(() => reportFailing(PLAN)).to.throw('1 of 4 workloads failed');
    expect(() => reportFailing({ ...PLAN, workloads: [WORKLOAD] })).not.to.throw();
  });
});
