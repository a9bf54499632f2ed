import type { EntryType } from '@portolan/plugin-api';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { createDocumentCompiler } from './document-compiler.ts';
import { DOCUMENT_SCHEMAS } from './document-schemas.ts';

const compiled = new Map<string, ValidateFunction>();

/**
 * Returns the cached validator, which reports every error or only the first. Compiles on first use (about 15
 * ms each); the build replaces this module with precompiled validators, see `scripts/compile-validators.ts`.
 */
export function documentValidator(type: EntryType, allErrors: boolean): ValidateFunction {
  const key = `${type} ${allErrors}`;
  const known = compiled.get(key);
  if (known !== undefined) return known;
  // The first validation waits for the compilation and gains nothing from optimization.
  const validate = createDocumentCompiler(allErrors, { optimize: false }).compile(DOCUMENT_SCHEMAS[type]);
  compiled.set(key, validate);
  return validate;
}
