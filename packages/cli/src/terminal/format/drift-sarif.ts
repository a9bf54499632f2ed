import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ChangeClass } from '@portolan/lock';
import { printable } from '../printable.ts';
import type { DriftReport, ReportedDifference } from './drift-report.ts';

interface SarifTool {
  readonly version: string;
  /** The path of a lock file inside this folder is reported relative to it. */
  readonly workingDirectory: string;
}

const LEVELS = {
  none: 'none',
  note: 'note',
  held: 'warning',
  refused: 'error',
} as const satisfies Record<ChangeClass, string>;

const RULES = [
  { id: 'drift/note', text: 'A harmless change since the approval', level: 'note' },
  { id: 'drift/held', text: 'A change that is held back until it is approved', level: 'warning' },
  { id: 'drift/refused', text: 'A change with which the workload does not start', level: 'error' },
  { id: 'drift/none', text: 'A change without meaning', level: 'none' },
  { id: 'drift/hidden-text', text: 'Text that a user does not see, and a model reads', level: 'warning' },
  { id: 'drift/unchecked', text: 'A workload that could not be checked', level: 'error' },
] as const;

/** Returns the results of a check as a log in SARIF 2.1.0. */
export function sarifOf(reports: readonly DriftReport[], { version, workingDirectory }: SarifTool): object {
  const isComplete = reports.every(({ status }) => status !== 'unchecked');
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'portolan',
            version,
            informationUri: 'https://github.com/portolan/portolan',
            rules: RULES.map(({ id, text, level }) => ({
              id,
              shortDescription: { text },
              defaultConfiguration: { level },
            })),
          },
        },
        invocations: [{ executionSuccessful: isComplete }],
        results: reports.flatMap((report) => resultsOf(report, workingDirectory)),
      },
    ],
  };
}

function resultsOf(report: DriftReport, folder: string): readonly object[] {
  const { name, file, error, differences } = report;
  const result = (ruleId: string, level: string, text: string, item: string): object => ({
    ruleId,
    ruleIndex: RULES.findIndex(({ id }) => id === ruleId),
    level,
    message: { text: printable(text) },
    locations: [
      {
        ...(file === null ? {} : { physicalLocation: locationOf(file, folder) }),
        logicalLocations: [{ fullyQualifiedName: printable(item === '' ? name : `${name}/${item}`) }],
      },
    ],
  });
  if (error !== null) return [result('drift/unchecked', 'error', `${name}: ${error.message}`, '')];
  return differences.flatMap((one) => [
    result(`drift/${one.class}`, LEVELS[one.class], `${name}: ${sentenceOf(one)}`, one.name),
    ...one.hidden.map(({ pointer, description }) =>
      result(
        'drift/hidden-text',
        'warning',
        `${name}: ${subjectOf(one)}${pointer}: ${description}`,
        one.name,
      ),
    ),
  ]);
}

function sentenceOf(difference: ReportedDifference): string {
  const { change, fields, looksLike, fault } = difference;
  const places = fields.map(({ pointer }) => pointer).filter((pointer) => pointer !== '');
  const reason = fault === undefined ? '' : `: ${fault}`;
  const alike = looksLike === undefined ? '' : `; its name looks like ${looksLike}`;
  return `${subjectOf(difference)} ${change}${places.length === 0 ? '' : ` at ${places.join(', ')}`}${reason}${alike}`;
}

function subjectOf({ kind, name }: ReportedDifference): string {
  return name === '' ? kind : `${kind} "${name}"`;
}

function locationOf(file: string, folder: string): object {
  const relative = path.relative(folder, file);
  const isBelow = relative !== '' && !relative.startsWith('..') && !path.isAbsolute(relative);
  const uri = isBelow ? relative.split(path.sep).map(encodeURIComponent).join('/') : pathToFileURL(file).href;
  return { artifactLocation: { uri }, region: { startLine: 1 } };
}
