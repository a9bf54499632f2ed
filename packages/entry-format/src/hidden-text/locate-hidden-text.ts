import { namesInPointer, pathOfMember } from '../json-value.ts';
import { findHiddenText } from './find-hidden-text.ts';

/** Hidden text with its place in a document. */
export interface LocatedHiddenText {
  /** Path of the string in printable ASCII, such as `packages[0].description`. */
  readonly path: string;
  readonly description: string;
}

/** Returns the hidden text in a document, at most 100 matches, with paths for messages. */
export function locateHiddenText(document: unknown): readonly LocatedHiddenText[] {
  return findHiddenText(document).map(({ pointer, description }) => ({
    path: pathOf(pointer, document),
    description,
  }));
}

/** Returns a JSON pointer as the path of an issue, such as `packages[0].description`. */
function pathOf(pointer: string, document: unknown): string {
  let path = '';
  let value = document;
  for (const name of namesInPointer(pointer)) {
    path = pathOfMember(path, Array.isArray(value) ? Number(name) : name.replaceAll(/[^ -~]/gu, '?'));
    value = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  }
  return path;
}
