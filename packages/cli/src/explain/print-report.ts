import type {
  AccessExplanation,
  ExplainedDecision,
  ExplainedKey,
  ExplainedRole,
  ExplainedSkip,
} from '@portolan/authorization';
import { formatTable } from '../terminal/format/format-table.ts';
import { printable } from '../terminal/printable.ts';
import type { AccessReport } from './access-report.ts';

export function printReport(report: AccessReport): string {
  const { providers, registry, entry, notes } = report;
  const parts = [
    [`mode      ${report.mode}`, callerLine(report.caller)],
    providers === null ? [] : ['TOKEN', ...providers.map(providerLine)],
    ['ROLES', ...report.roles.flatMap(roleLines)],
    registry === undefined ? [] : [`REGISTRY ${registry.name}`, ...decisionLines(registry)],
    entry === undefined ? [] : entryLines(entry),
    notes.map((note) => `note: ${note}`),
  ];
  return parts
    .filter((lines) => lines.length > 0)
    .map((lines) =>
      lines.map((line) => `${/^ */.exec(line)?.[0] ?? ''}${printable(line.trimStart())}`).join('\n'),
    )
    .join('\n\n');
}

function callerLine(caller: AccessExplanation['caller']): string {
  if (caller === null) return 'caller    nobody';
  const user = caller.user === undefined ? '' : ` (${caller.user})`;
  const provider = caller.provider === undefined ? '' : `, provider ${caller.provider}`;
  return `caller    ${caller.subject}${user}${provider}`;
}

function providerLine(verdict: NonNullable<AccessReport['providers']>[number]): string {
  const { provider, issuer, accepted, because } = verdict;
  return `  ${accepted ? 'accepted' : 'refused '}  ${provider} (${issuer}): ${because}`;
}

function roleLines({ role, held, sentence, rules }: ExplainedRole): readonly string[] {
  const head = `  ${held ? 'yes' : 'no '}  ${role.padEnd(16)}  ${sentence}`;
  return [
    head,
    ...rules.flatMap(({ rule, matches, keys }) => [
      `       rule ${rule} ${matches ? 'matches' : 'does not match'}`,
      ...keyLines(keys, '         '),
    ]),
  ];
}

function decisionLines({ sentence, keys }: ExplainedDecision): readonly string[] {
  return [`  ${sentence}`, ...keyLines(keys, '    ')];
}

function entryLines({
  type,
  name,
  sentence,
  shown,
  sources,
  skipped = [],
}: NonNullable<AccessExplanation['entry']>): readonly string[] {
  return [
    `ENTRY ${type} ${name}`,
    `  ${sentence}`,
    ...sources.flatMap((source) => [
      `  ${source.source === null ? 'entry' : `source ${source.source}`}: ${source.sentence}`,
      ...keyLines(source.keys, '    '),
    ]),
    ...skipped.map((skip) => `  ${skipSentence(skip, shown)}`),
    ...[...new Set(skipped.map(({ source }) => source))].map(
      (source) => `  \`portolan sources show ${SOURCE_NAME.test(source) ? source : 'NAME'}\` shows the rest.`,
    ),
  ];
}

/**
 * Matches names that a shell reads as one word. Other names are not printed in commands, because the server
 * may be hostile.
 */
const SOURCE_NAME = /^[A-Za-z0-9][\w.-]*$/;

/** Returns the reason why a source left out an entry, or one version of it if other versions are `shown`. */
function skipSentence({ source, skipped, because }: ExplainedSkip, shown: boolean): string {
  return `Source ${source} left ${shown ? 'a version' : 'it'} out: ${because} (${skipped})`;
}

function keyLines(keys: readonly ExplainedKey[], indent: string): readonly string[] {
  if (keys.length === 0) return [];
  const rows = keys.map(({ key, required, held, matches }) => [
    key,
    required === null ? '(withheld)' : listed(required, '(any value)'),
    held === null ? '(absent)' : listed(held, '(no text)'),
    matches ? 'matches' : 'does not match',
  ]);
  return formatTable(
    ['key', 'required', 'held', 'result'],
    rows.map((row) => row.map(printable)),
  )
    .split('\n')
    .map((line) => `${indent}${line}`);
}

function listed(values: readonly string[], whenEmpty: string): string {
  const MOST = 12;
  const shown = values.slice(0, MOST).join(', ');
  if (values.length === 0) return whenEmpty;
  return values.length > MOST ? `${shown}, and ${values.length - MOST} more` : shown;
}
