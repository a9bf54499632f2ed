import type { SchemeOptions } from '@portolan/plugin-api';
import type { IndexAuthorization } from '@portolan/scheme-kit';
import { basicAuthorization } from '@portolan/scheme-kit';

export type NpmrcLine = readonly [key: string, value: string];

/** Parses an npmrc file. Replaces `${NAME}` in a value by the variable if it is set. Pure. */
export function parseNpmrc(text: string, environment: SchemeOptions['environment']): readonly NpmrcLine[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const [, key, written] = /^\s*([^#;=\s][^=]*?)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (key === undefined || written === undefined) return [];
    const plain = /^(["'])(.*)\1$/.exec(written)?.[2] ?? written;
    const value = plain.replaceAll(/\$\{([^}]+)\}/g, (whole, name: string) => environment[name] ?? whole);
    return [[key, value] as const];
  });
}

/**
 * Returns the credentials for an address: those of the longest matching `//host/path/`, port included (npm,
 * "Auth related configuration").
 */
export function authorizeByNpmrc(lines: readonly NpmrcLine[]): IndexAuthorization {
  const places = new Map<string, Map<string, string>>();
  for (const [key, value] of lines) {
    const [, place, field = ''] = /^(\/\/.+):(_authToken|_auth|_password|username)$/.exec(key) ?? [];
    if (place === undefined) continue;
    const root = place.replace(/\/*$/, '/');
    places.set(root, (places.get(root) ?? new Map<string, string>()).set(field, value));
  }
  const roots = [...places].toSorted(([one], [other]) => other.length - one.length);
  return ({ host, pathname }) => {
    const prefix = `//${host}${pathname.replace(/\/*$/, '/')}`;
    for (const [root, fields] of roots) {
      const authorization = prefix.startsWith(root) ? authorizationOf(fields) : undefined;
      if (authorization !== undefined) return authorization;
    }
    return undefined;
  };
}

/**
 * Returns the authorization of a registry in npm's order of precedence. A name needs a password, which is in
 * Base64.
 */
function authorizationOf(fields: ReadonlyMap<string, string>): string | undefined {
  const token = fields.get('_authToken');
  if (token !== undefined) return `Bearer ${token}`;
  const [name, password, both] = [fields.get('username'), fields.get('_password'), fields.get('_auth')];
  if (name !== undefined && password !== undefined) {
    return basicAuthorization(name, Buffer.from(password, 'base64').toString('utf8'));
  }
  return both === undefined ? undefined : `Basic ${both}`;
}
