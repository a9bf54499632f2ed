import { isPlainMap } from '../../config/plain-data.ts';
import type { Report } from './rule.ts';

const SEPARATE_FIELDS = ['host', 'port', 'user', 'database'];

export function checkDatabase({ database }: Readonly<Record<string, unknown>>, report: Report): void {
  if (!isPlainMap(database)) return;
  checkDynamicAuth(database, report);
  const separateFields = SEPARATE_FIELDS.filter((field) => Object.hasOwn(database, field));
  if (Object.hasOwn(database, 'url')) {
    if (separateFields.length > 0) {
      report(
        ['database'],
        `url and ${separateFields.join(', ')}`,
        `either url, or ${SEPARATE_FIELDS.join(', ')}`,
      );
    }
    const { url } = database;
    if (typeof url === 'string' && !isDatabaseUrl(url)) {
      report(
        ['database', 'url'],
        'an address that is not shown',
        'sqlite:PATH, sqlite::memory: or postgres://user:password@host:port/database',
      );
    }
  } else if (separateFields.length > 0) {
    for (const field of SEPARATE_FIELDS.filter((name) => !separateFields.includes(name))) {
      report(
        ['database', field],
        'nothing',
        `a value, since ${separateFields.join(', ')} ${separateFields.length === 1 ? 'is' : 'are'} given`,
      );
    }
  }
}

function checkDynamicAuth(database: Readonly<Record<string, unknown>>, report: Report): void {
  const { dynamicAuth } = database;
  if (!isPlainMap(dynamicAuth) || dynamicAuth['awsRdsIam'] === undefined) return;
  const place = ['database', 'dynamicAuth'];
  for (const key of ['url', 'password', 'migrationPassword']) {
    if (Object.hasOwn(database, key))
      report(
        place,
        `dynamicAuth and ${key}`,
        key === 'url' ? 'host, port, user and database' : 'one of the two',
      );
  }
  if (!Object.hasOwn(database, 'host') && !Object.hasOwn(database, 'url'))
    report(place, 'dynamicAuth without host', 'host, port, user and database');
  if (database['sslMode'] === 'disable')
    report(['database', 'sslMode'], '"disable"', 'TLS, without which RDS takes no token');
}

function isDatabaseUrl(text: string): boolean {
  return /^sqlite:./.test(text) || (/^postgres(?:ql)?:\/\/./.test(text) && URL.canParse(text));
}
