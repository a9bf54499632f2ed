import { kindOfValue } from './describe-value.ts';

/** Describes a thrown value, which need not be an error. */
export function describeThrown(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message === '' ? thrown.name : thrown.message;
  return `it threw ${typeof thrown === 'string' ? thrown : kindOfValue(thrown)}`;
}
