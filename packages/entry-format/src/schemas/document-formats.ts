import { fullFormats } from 'ajv-formats/dist/formats.js';

/** A longer text is no address. V8 may throw from two million on: the pattern remembers each place. */
const MAX_CHARACTERS_OF_ADDRESS = 1_000_000;

/** The formats that the schemas of documents name. */
export const DOCUMENT_FORMATS = { uri: isAddress };

function isAddress(text: string): boolean {
  const { uri } = fullFormats;
  return text.length <= MAX_CHARACTERS_OF_ADDRESS && typeof uri === 'function' && uri(text);
}
