import { encodeInUrl, inlineValues, type RunConfig } from '@portolan/run-spec';
import { ForwardedError } from '../../forwarded-error.ts';
import type { SupervisedEnd } from './supervised-end.ts';
import type { ReportListener } from '../supervisor-order.ts';

export type Mask = (text: string) => string;

const HIDDEN = '[secret]';
/** Minimum length of a masked value; shorter values occur in ordinary words. */
const MIN_LENGTH = 4;

/** Masks the secrets in arguments and in the URL, in every encoding in which they are sent. */
export function maskInlineSecrets(
  { inline_secrets: references }: Pick<RunConfig, 'inline_secrets'>,
  secrets: Readonly<Record<string, string>>,
): Mask {
  const values = [...inlineValues(references, secrets).values()].flatMap(spellingsOf);
  const known = [...new Set(values)]
    .filter(({ length }) => length >= MIN_LENGTH)
    .toSorted((one, other) => other.length - one.length);
  return (text) => known.reduce((masked, value) => masked.replaceAll(value, HIDDEN), text);
}

function spellingsOf(value: string): readonly string[] {
  return [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeInUrl(value),
    encodeURIComponent(value.toWellFormed()),
  ];
}

export function maskReports(report: ReportListener, mask: Mask): ReportListener {
  return (supervisorReport) => {
    if (supervisorReport.report === 'failed') {
      const { message, hint, lastLines } = supervisorReport;
      report({
        ...supervisorReport,
        message: mask(message),
        hint: hint && mask(hint),
        lastLines: lastLines.map(mask),
      });
    } else
      report(
        'text' in supervisorReport
          ? { ...supervisorReport, text: mask(supervisorReport.text) }
          : supervisorReport,
      );
  };
}

export function maskEnd(end: SupervisedEnd, mask: Mask): SupervisedEnd {
  if (end.how !== 'failed') return end;
  const { error } = end;
  const { message, hint, cause } = error;
  const masked = mask(message);
  if (masked === message && (hint === undefined || mask(hint) === hint)) return end;
  const details = { ...(hint === undefined ? {} : { hint: mask(hint) }), cause };
  const copy = new ForwardedError(error, masked, details);
  return { ...end, error: 'exitCode' in error ? Object.assign(copy, { exitCode: error.exitCode }) : copy };
}
