import { UndoStack } from '@portolan/plugin-api';
import type { RunConfig } from '@portolan/run-spec';
import { logFilesOf } from '../../state/log-files.ts';
import { memberName } from '../../state/member-name.ts';
import { noteRefusedWrite } from '../server/note-refused-write.ts';
import { Lifecycle } from '../process/lifecycle.ts';
import { maskInlineSecrets } from '../process/mask-secrets.ts';
import { Notices } from '../process/notices.ts';
import { ServerOutput } from '../process/server-output.ts';
import type { Supervision } from '../supervision.ts';
import type { MemberValues, ReportListener } from '../supervisor-order.ts';
import type { MemberRecord } from './member-record.ts';

export interface MemberPlan {
  readonly member: string;
  /** Run config of the member's server, with the name `WORKLOAD/MEMBER`. */
  readonly config: RunConfig;
  readonly values: MemberValues;
  readonly record: MemberRecord;
}

/**
 * Returns the supervision of one run of a member's server, until it ends: with its own containers, network,
 * log and lifecycle. The end of a member never ends the virtual server. The caller runs `opened` at its end.
 */
export function beginMember(
  parent: Supervision,
  { member, config, values, record }: MemberPlan,
): Supervision {
  const { context, order } = parent;
  const mask = maskInlineSecrets(config, values.policySecrets);
  const name = memberName(parent.config.name, member);
  const notices = new Notices(record);
  const lifecycle = new Lifecycle();
  const opened = new UndoStack(context.logger);
  const output: ServerOutput = new ServerOutput(
    logFilesOf(name, context.directories),
    context.clock,
    (text) => noteRefusedWrite(text, { config, notices, output }),
    (text) =>
      order.foreground ? parent.report({ report: 'output', text: `[${member}] ${text}` }) : undefined,
    mask,
  );
  opened.push('output', () => output.close());
  record.note((state) => ({ ...state, status: 'starting', statusContext: '', containerId: '' }));
  return {
    order: { ...values, name, startTimeoutMs: order.startTimeoutMs, foreground: false },
    context,
    report: reportOf(parent, member, mask),
    config,
    state: record.state,
    own: parent.own,
    instance: parent.instance,
    lifecycle,
    output,
    record,
    notices,
    opened,
    stepUp: undefined,
    member,
  };
}

/** Passes on warnings and notes, with the name of the member. The steps of a member are not reported. */
function reportOf({ report }: Supervision, member: string, mask: (text: string) => string): ReportListener {
  return (one) => {
    if (one.report !== 'warning' && one.report !== 'note') return;
    report({ ...one, text: `member ${member}: ${mask(one.text)}` });
  };
}
