import type { EntryType } from '@portolan/plugin-api';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { createDocumentCompiler } from './document-compiler.ts';
import { DOCUMENT_SCHEMAS } from './document-schemas.ts';

const compiled = new Map<string, ValidateFunction>();

/**
 * What checks documents of a type, for every error or for the first. Compiled when first needed (some 15 ms each),
 * then kept. In what is built another module has this one's place, with the same validators, compiled by the builder:
 * see `scripts/compile-validators.ts`.
 */
export function documentValidator(type: EntryType, allErrors: boolean): ValidateFunction {
  const key = `${type} ${allErrors}`;
  const known = compiled.get(key);
  if (known !== undefined) return known;
  // The first check waits for this, so it is quick: code that is not optimized does as well.
  const validate = createDocumentCompiler(allErrors, { optimize: false }).compile(DOCUMENT_SCHEMAS[type]);
  compiled.set(key, validate);
  return validate;
}
