import { kindOfValue } from './describe-value.ts';

/** What was thrown, in words, whatever it was: not everything that is thrown is an error. */
export function describeThrown(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message === '' ? thrown.name : thrown.message;
  return `it threw ${typeof thrown === 'string' ? thrown : kindOfValue(thrown)}`;
}
