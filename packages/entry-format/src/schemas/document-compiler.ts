import { Ajv2020, type CodeOptions } from 'ajv/dist/2020.js';
import { DOCUMENT_FORMATS } from './document-formats.ts';

/**
 * Creates the compiler of validators. With `allErrors`, validators report every error, otherwise only the
 * first.
 */
export function createDocumentCompiler(allErrors: boolean, code: CodeOptions): Ajv2020 {
  // A test validates the schemas against their meta-schema.
  const ajv = new Ajv2020({ allErrors, verbose: true, meta: false, validateSchema: false, code });
  for (const [name, isOne] of Object.entries(DOCUMENT_FORMATS)) ajv.addFormat(name, isOne);
  ajv.addKeyword('x-expected');
  return ajv;
}
