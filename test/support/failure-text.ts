import Mocha from 'mocha';

/** Returns the message, the compared values and the causes of an error, for a report in a log. */
export function failureText(error: Error): string {
  return [error.message, comparisonOf(error), ...causesOf(error)].filter((part) => part !== '').join('\n');
}

function comparisonOf(error: Error): string {
  // chai shortens values on one line, so the whole values follow.
  if (!('actual' in error) || !('expected' in error) || !error.message.includes('…')) return '';
  return Mocha.reporters.Base.generateDiff(asText(error.actual), asText(error.expected)).trim();
}

/** A reporter may have formatted the value already. */
function asText(value: unknown): string {
  return typeof value === 'string' ? value : Mocha.utils.stringify(value);
}

function causesOf({ cause }: Error): readonly string[] {
  if (cause === undefined) return [];
  if (!(cause instanceof Error)) return [`because of ${Mocha.utils.stringify(cause)}`];
  return [`because of ${cause.name}: ${cause.message}`, ...causesOf(cause)];
}
