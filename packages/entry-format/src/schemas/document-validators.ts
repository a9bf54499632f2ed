import type { EntryType } from '@portolan/plugin-api';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { createDocumentCompiler } from './document-compiler.ts';
import { DOCUMENT_SCHEMAS } from './document-schemas.ts';

const compiled = new Map<string, ValidateFunction>();

/**
 * Returns the validator of a document type, which reports every error or only the first. Compiled on first
 * use (about 15 ms each) and cached. The build replaces this module with one that contains precompiled
 * validators; see `scripts/compile-validators.ts`.
 */
export function documentValidator(type: EntryType, allErrors: boolean): ValidateFunction {
  const key = `${type} ${allErrors}`;
  const known = compiled.get(key);
  if (known !== undefined) return known;
  // Without optimization, because the first validation waits for the compilation and gains nothing from it.
  const validate = createDocumentCompiler(allErrors, { optimize: false }).compile(DOCUMENT_SCHEMAS[type]);
  compiled.set(key, validate);
  return validate;
}
