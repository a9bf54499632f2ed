import type { PackageReference } from '@portolan/plugin-api';
import { badPackage } from './target-errors.ts';

/** First part of a module path: a lower-case domain name (Go module reference, "Module paths"). */
const DOMAIN = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/;
const ELEMENT = /^[A-Za-z0-9_~+-](?:[A-Za-z0-9._~+-]*[A-Za-z0-9_~+-])?$/;
const EXACT = /^v(?:0|[1-9][0-9]*)(?:\.(?:0|[1-9][0-9]*)){2}(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/;
/** `latest`, a branch, a commit, `v1`. */
const QUERY = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
const HINT =
  'Write an import path, perhaps with @VERSION behind it (go://example.org/acme/tool@v1.2.0), or a folder that starts with ./ or ../.';

/** Parses an import path with an optional version. Throws ERR_PACKAGE. */
export function parseGoPackage(text: string): PackageReference {
  const at = text.indexOf('@');
  const name = at === -1 ? text : text.slice(0, at);
  const version = at === -1 ? undefined : text.slice(at + 1);
  const [domain = '', ...elements] = name.split('/');
  if (!DOMAIN.test(domain)) throw badPackage(text, 'an import path begins with the name of a host', HINT);
  if (!elements.every((element) => ELEMENT.test(element))) {
    throw badPackage(text, 'Go has no such import paths', HINT);
  }
  if (version === undefined) return { from: 'index', name, extras: [], version, pinned: false };
  const pinned = EXACT.test(version);
  if (!pinned && !QUERY.test(version)) throw badPackage(text, 'what stands behind the @ is no version', HINT);
  return { from: 'index', name, extras: [], version, pinned };
}
