import type { IndexedPackage } from '@portolan/plugin-api';
import { badPackage } from './target-errors.ts';

/** Matches a project name (PyPA specification "Names and normalization"). */
const NAME = /^(?:[A-Za-z0-9]|[A-Za-z0-9][A-Za-z0-9._-]*[A-Za-z0-9])$/;
const WHOLE = /^([^[\]@=]+)(?:\[([^[\]]*)\])?(?:(@|==)(.*))?$/s;
/** Matches a version (PyPA specification "Version specifiers", appendix). */
const VERSION =
  /^v?(?:[0-9]+!)?[0-9]+(?:\.[0-9]+)*(?:[-_.]?(?:alpha|beta|preview|pre|a|b|c|rc)[-_.]?[0-9]*)?(?:-[0-9]+|[-_.]?(?:post|rev|r)[-_.]?[0-9]*)?(?:[-_.]?dev[-_.]?[0-9]*)?(?:\+[a-z0-9]+(?:[-_.][a-z0-9]+)*)?$/i;
const HINT =
  'Write NAME, NAME[EXTRA], or either with @VERSION behind it (uvx://mcp-server-time@2026.1.2), or a folder that starts with ./ or ../.';

/** Parses `name[extra,…]` with `@version` or `==version`. Throws ERR_PACKAGE. */
export function parsePythonPackage(text: string): IndexedPackage {
  const [, name = '', extrasText, , requested] = WHOLE.exec(text) ?? [];
  if (!NAME.test(name)) throw badPackage(text, 'Python has no such names', HINT);
  const extras = extrasText === undefined ? [] : extrasText.split(',').map((extra) => extra.trim());
  if (!extras.every((extra) => NAME.test(extra))) {
    throw badPackage(text, 'what stands in the brackets are no names of extras', HINT);
  }
  if (requested === undefined) return { from: 'index', name, extras, version: undefined, pinned: false };
  if (requested !== 'latest' && !VERSION.test(requested)) {
    throw badPackage(text, 'what stands behind the name is no exact version', HINT);
  }
  return { from: 'index', name, extras, version: requested, pinned: requested !== 'latest' };
}
