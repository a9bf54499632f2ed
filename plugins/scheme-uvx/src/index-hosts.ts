import type { BuildHost } from '@portolan/plugin-api';
import { hostOf } from '@portolan/scheme-kit';
import type { PythonIndexes } from './python-indexes.ts';

/** Host from which the public index serves files, which differs from the host of its pages. */
const FILES: Readonly<Record<string, string>> = { 'pypi.org': 'files.pythonhosted.org' };

/** Returns the hosts of an index, including its download hosts where these are known to differ. */
export function hostsOf({ usual, more }: PythonIndexes): readonly BuildHost[] {
  const hosts = [usual, ...more].map(hostOf).flatMap((one) => {
    const files = FILES[one.host];
    return files === undefined ? [one] : [one, { host: files, port: 443 }];
  });
  return [...new Map(hosts.map((one) => [`${one.host}:${one.port}`, one])).values()];
}
