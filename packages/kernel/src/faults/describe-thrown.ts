import { kindOfValue } from './describe-value.ts';

export function describeThrown(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message === '' ? thrown.name : thrown.message;
  return `it threw ${typeof thrown === 'string' ? thrown : kindOfValue(thrown)}`;
}
