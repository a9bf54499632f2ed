import { type AuditEvent, AUDIT_EVENTS } from '../src/audit-events.ts';

/** The table of events as Markdown. */
export function renderEvents(): string {
  const rows = Object.entries<AuditEvent>(AUDIT_EVENTS).map(
    ([type, { group, meaning, onlyWhenNamed }]) =>
      `| ${group} | \`${type}\` | ${meaning}${onlyWhenNamed === true ? ' *Only when named.*' : ''} |`,
  );
  return ['| Group | `type` | What was asked for |', '|---|---|---|', ...rows].join('\n');
}
