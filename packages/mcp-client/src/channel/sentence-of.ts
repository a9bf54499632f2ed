import { isPortolanError } from '@portolan/plugin-api';

export function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return isPortolanError(error) && error.hint !== undefined
    ? `${error.message} ${error.hint}`
    : error.message;
}
