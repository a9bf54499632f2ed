import Mocha from 'mocha';

/** What of an error tells why a test failed, where nobody can ask it: its message, what was compared, and its causes. */
export function failureText(error: Error): string {
  return [error.message, comparisonOf(error), ...causesOf(error)].filter((part) => part !== '').join('\n');
}

function comparisonOf(error: Error): string {
  // What chai says on one line it says whole.
  if (!('actual' in error) || !('expected' in error) || !error.message.includes('…')) return '';
  return Mocha.reporters.Base.generateDiff(asText(error.actual), asText(error.expected)).trim();
}

/** A reporter may have written it out already. */
function asText(value: unknown): string {
  return typeof value === 'string' ? value : Mocha.utils.stringify(value);
}

function causesOf({ cause }: Error): readonly string[] {
  if (cause === undefined) return [];
  if (!(cause instanceof Error)) return [`because of ${Mocha.utils.stringify(cause)}`];
  return [`because of ${cause.name}: ${cause.message}`, ...causesOf(cause)];
}
