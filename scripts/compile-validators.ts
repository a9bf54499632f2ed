import { _ } from 'ajv/dist/compile/codegen/index.js';
import standalone from 'ajv/dist/standalone/index.js';
import { createDocumentCompiler } from '../packages/entry-format/src/schemas/document-compiler.ts';
import { DOCUMENT_SCHEMAS } from '../packages/entry-format/src/schemas/document-schemas.ts';

/**
 * Returns a generated module that replaces `schemas/document-validators.ts` in the build: the same
 * validators, precompiled. It avoids ajv at run time, with its compile time and memory.
 */
export function compileValidators(): string {
  return `import { DOCUMENT_FORMATS } from './document-formats.ts';
    const loaded = {};
    const load = { true: ${loader(true)}, false: ${loader(false)} };
    export const documentValidator = (type, allErrors) => (loaded[allErrors] ??= load[allErrors]())[type];`;
}

function loader(allErrors: boolean): string {
  const ajv = createDocumentCompiler(allErrors, { source: true, formats: _`DOCUMENT_FORMATS` });
  for (const [type, schema] of Object.entries(DOCUMENT_SCHEMAS)) ajv.addSchema(schema, type);
  const types = Object.fromEntries(Object.keys(DOCUMENT_SCHEMAS).map((type) => [type, type]));
  return `() => { const exports = {}; ${standalone.default(ajv, types)}; return exports; }`;
}
