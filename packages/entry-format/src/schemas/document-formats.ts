import { fullFormats } from 'ajv-formats/dist/formats.js';

/**
 * Maximum characters of an address. From about two million on, V8 may throw, because the pattern stores each
 * position.
 */
const MAX_CHARACTERS_OF_ADDRESS = 1_000_000;

export const DOCUMENT_FORMATS = { uri: isAddress };

function isAddress(text: string): boolean {
  const { uri } = fullFormats;
  return text.length <= MAX_CHARACTERS_OF_ADDRESS && typeof uri === 'function' && uri(text);
}
