import { Ajv2020, type CodeOptions } from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';

/**
 * Maximum length of an address, in characters. From about two million on, V8 may throw, because the pattern
 * stores each position.
 */
const MAX_CHARACTERS_OF_ADDRESS = 1_000_000;

/** Formats that the document schemas use. */
const DOCUMENT_FORMATS = { uri: isAddress };

function isAddress(text: string): boolean {
  const { uri } = fullFormats;
  return text.length <= MAX_CHARACTERS_OF_ADDRESS && typeof uri === 'function' && uri(text);
}

/** Creates the compiler of document schemas. Validators report every error, or only the first. */
export function createDocumentCompiler(allErrors: boolean, code: CodeOptions): Ajv2020 {
  // A test validates the schemas against their meta-schema.
  const ajv = new Ajv2020({ allErrors, verbose: true, meta: false, validateSchema: false, code });
  for (const [name, isOne] of Object.entries(DOCUMENT_FORMATS)) ajv.addFormat(name, isOne);
  ajv.addKeyword('x-expected');
  return ajv;
}
